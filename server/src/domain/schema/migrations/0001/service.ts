import { cascade, type Table, type Written } from '../../table.ts';

/** The service itself: settings, nodes, audit, erasure. */
export const SERVICE: readonly (Table | Written)[] = [
  // The migrations make it themselves.
  { name: 'migrations', purpose: 'Migrations that were applied to the database.', create: {} },
  {
    name: 'settings',
    purpose: 'Values of the installation, such as keys and leases.',
    key: ['name'],
    columns: `
      "name" {text} NOT NULL,
      "value" {text} NOT NULL`,
  },
  {
    name: 'nodes',
    purpose: 'Processes that share the database.',
    key: ['id'],
    columns: `
      "id" {text} NOT NULL,
      "name" {text} NOT NULL,
      "version" {text} NOT NULL,
      "schema" {text} NOT NULL,
      "address" {text} NOT NULL,
      "startedAt" {time} NOT NULL,
      "seenAt" {time} NOT NULL,
      "goneAt" {time},
      "lagMs" {integer} NOT NULL,
      "clockAheadMs" {integer} NOT NULL,
      "figures" {json} NOT NULL,
      "owns" {json} NOT NULL`,
  },
  {
    name: 'rateCounts',
    purpose: 'Requests of the current minutes, counted for all nodes.',
    key: ['minute', 'name', 'key'],
    columns: `
      "minute" {integer} NOT NULL,
      "name" {text} NOT NULL,
      "key" {text} NOT NULL,
      "count" {integer} NOT NULL`,
  },
  {
    name: 'idempotencyKeys',
    purpose: 'Responses to create requests with an idempotency key.',
    columns: `
      "userId" {integer} NOT NULL,
      "requestHash" {text} NOT NULL,
      "bodyHash" {text} NOT NULL,
      "status" {integer} NOT NULL,
      "response" {text},
      "created" {time} NOT NULL`,
    references: { userId: cascade('users') },
    unique: {
      request: '("userId", "requestHash")',
    },
    indexes: {
      user: '("userId", "id")',
      created: '("created")',
    },
  },
  {
    name: 'auditEntries',
    purpose: 'The audit log: sign-ins, and changes of access, keys, tokens and rules.',
    columns: `
      "at" {time} NOT NULL,
      "action" {text} NOT NULL,
      "actorId" {integer},
      "actor" {text},
      "tokenId" {integer},
      "address" {text},
      "userId" {integer},
      "deviceId" {integer},
      "detail" {json},
      "count" {integer} NOT NULL DEFAULT 1,
      "occasion" {text}`,
    unique: {
      occasion: '("occasion")',
    },
    indexes: {
      at: '("at")',
      user: '("userId", "id")',
      actor: '("actorId", "id")',
      device: '("deviceId", "id")',
      action: '("action", "id")',
    },
  },
  {
    name: 'erasures',
    purpose: 'Erasures of personal data, with a signed record of each.',
    columns: `
      "kind" {text} NOT NULL,
      "subjectId" {integer} NOT NULL,
      "since" {time} NOT NULL,
      "requestedAt" {time} NOT NULL,
      "requestedBy" {integer},
      "completedAt" {time},
      "rows" {json},
      "deviceIds" {json},
      "record" {text},
      "signature" {text}`,
    indexes: {
      open: '("id") WHERE "completedAt" IS NULL',
      subject: '("kind", "subjectId")',
    },
  },
  {
    name: 'dataCopies',
    purpose: 'Backups and exports that an erasure does not reach.',
    columns: `
      "kind" {text} NOT NULL,
      "place" {text} NOT NULL,
      "machine" {text} NOT NULL,
      "created" {time} NOT NULL,
      "updated" {time} NOT NULL`,
    unique: {
      place: '("kind", "machine", "place")',
    },
  },
  {
    name: 'auditTrail',
    purpose: 'View: the audit log for users who are not admins, without network addresses of others.',
    create: `CREATE VIEW "auditTrail" AS
SELECT "id", "at", "action", "actorId", "actor",
  CASE WHEN "actorId" IS NULL OR "actorId" = "userId" THEN "tokenId" END AS "tokenId",
  CASE WHEN "actorId" IS NULL OR "actorId" = "userId" THEN "address" END AS "address",
  "userId", "deviceId", "detail", "count"
FROM "auditEntries";`,
  },
];
