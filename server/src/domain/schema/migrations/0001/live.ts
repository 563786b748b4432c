import { SLOT_KEYS } from '../../owned-devices.ts';
import type { Table, Written } from '../../table.ts';

const LIVE_EVENT_COLUMNS = `
  "created" {time} NOT NULL,
  "deviceId" {integer} NOT NULL,
  "otherDeviceId" {integer},
  "userId" {integer},
  "kind" {text} NOT NULL,
  "event" {text} NOT NULL`;

/**
 * The log of live streams. It has no other index than its key: nothing else is written so often. On SQLite it has one order;
 * on PostgreSQL each slot has its own, whose row in `slots` is counter and lock; there a slot is known by its key of `SLOT_KEYS`.
 */
export const LIVE: readonly (Table | Written)[] = [
  {
    name: 'liveEvents',
    purpose: 'The log that live streams read, in the order of commits.',
    create: {
      sqlite: `CREATE TABLE "liveEvents" ("id" {id},${LIVE_EVENT_COLUMNS}\n);`,
      postgres: `CREATE TABLE "liveEvents" ("slot" BIGINT NOT NULL, "id" {integer} NOT NULL,${LIVE_EVENT_COLUMNS},
  PRIMARY KEY ("slot", "id")
);`,
    },
  },
  {
    name: 'slots',
    purpose: 'PostgreSQL only: the last entry of the live log for each slot.',
    create: {
      // Each row is written all the time: with room on its page that needs neither a new page nor the index.
      postgres: `CREATE TABLE "slots" (
  "slot" BIGINT PRIMARY KEY,
  "lastId" {integer} NOT NULL,
  "deletedId" {integer} NOT NULL,
  "startId" {integer} NOT NULL
) WITH (fillfactor = 20);
INSERT INTO "slots" ("slot", "lastId", "deletedId", "startId") SELECT slot, 0, 0, 0 FROM unnest(CAST('{${SLOT_KEYS.join(',')}}' AS BIGINT[])) AS slot;`,
    },
  },
  {
    name: 'slotTimers',
    purpose: 'PostgreSQL only: which node runs the timers of a slot, and until when.',
    create: {
      postgres: `CREATE TABLE "slotTimers" ("slot" {integer} PRIMARY KEY, "owner" {text}, "ownedUntil" {time}) WITH (fillfactor = 20);
INSERT INTO "slotTimers" ("slot") SELECT generate_series(0, 63);`,
    },
  },
];
