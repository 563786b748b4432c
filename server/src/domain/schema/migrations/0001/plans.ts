import { cascade, restrict, type Table } from '../../table.ts';

/** Plans, credits and subscriptions. */
export const PLANS: readonly Table[] = [
  {
    name: 'plans',
    purpose: 'Plans that devices can subscribe to.',
    columns: `
      "name" {text} NOT NULL,
      "displayName" {text},
      "description" {text},
      "features" {text},
      "sku" {text},
      "onoWhitelistId" {integer},
      "sleepLimit" {integer},
      "wakeLimit" {integer},
      "prices" {json},
      "days" {integer} NOT NULL,
      "keepDays" {integer}`,
    unique: {
      name: '("name")',
    },
  },
  {
    name: 'planCredits',
    purpose: 'Credits of users for plans. Each row owns a range of credit numbers.',
    columns: `
      "userId" {integer} NOT NULL,
      "planId" {integer} NOT NULL,
      "count" {integer} NOT NULL,
      "origin" {text} NOT NULL,
      "created" {time} NOT NULL,
      "firstNumber" {integer} NOT NULL DEFAULT 0`,
    references: { userId: cascade('users'), planId: restrict('plans') },
    unique: {
      firstNumber: '("firstNumber")',
    },
    indexes: {
      userId: '("userId", "id")',
      planId: '("planId")',
    },
  },
  {
    name: 'creditNumbers',
    purpose: 'A single row: the next credit number.',
    key: ['id'],
    columns: `
      "id" {integer} NOT NULL,
      "next" {integer} NOT NULL`,
    more: 'INSERT INTO "creditNumbers" ("id", "next") VALUES (1, 1);',
  },
  {
    name: 'subscriptions',
    purpose: 'The plans of a device, each with its period.',
    columns: `
      "deviceId" {integer} NOT NULL,
      "userId" {integer} NOT NULL,
      "planId" {integer} NOT NULL,
      "start" {time} NOT NULL,
      "end" {time} NOT NULL,
      "creditNumber" {integer},
      "removedAt" {time},
      "renewUntil" {time},
      "renews" {flag} NOT NULL DEFAULT 0`,
    references: { deviceId: cascade('devices'), userId: cascade('users'), planId: restrict('plans') },
    unique: {
      creditNumber: '("creditNumber")',
    },
    indexes: {
      deviceId: '("deviceId", "end")',
      userId: '("userId", "planId")',
      renewing: '("end") WHERE "renews" = 1',
      renewUntil: '("renewUntil") WHERE "renews" = 1',
    },
  },
];
