import { cascade, setNull, type Table, type Written } from '../../table.ts';

/** What is sent, to where, and the result. */
export const DELIVERY: readonly (Table | Written)[] = [
  {
    name: 'destinations',
    purpose: 'Destinations of deliveries, with their health.',
    columns: `
      "kind" {text} NOT NULL,
      "target" {text} NOT NULL,
      "userId" {integer},
      "state" {text} NOT NULL DEFAULT 'up',
      "failures" {integer} NOT NULL DEFAULT 0,
      "nextTryAt" {time},
      "downSince" {time},
      "lastSuccess" {time},
      "lastError" {text},
      "lastErrorDetails" {json},
      "lastErrorAt" {time},
      "secrets" {json},
      "leaseOwner" {text},
      "leaseUntil" {time},
      "created" {time} NOT NULL`,
    references: { userId: cascade('users') },
    unique: {
      target: '("kind", "target", COALESCE("userId", 0))',
    },
    indexes: {
      userId: '("userId", "id")',
    },
  },
  {
    name: 'outbox',
    purpose: 'The outbox: everything that has to be sent, and the result.',
    columns: `
      "messageId" {text} NOT NULL,
      "destinationId" {integer},
      "userId" {integer} NOT NULL,
      "deviceId" {integer},
      "channel" {text} NOT NULL,
      "address" {text},
      "what" {text} NOT NULL,
      "notificationId" {integer},
      "forwarderId" {integer},
      "digestId" {integer},
      "content" {text} NOT NULL,
      "state" {text} NOT NULL,
      "reason" {text},
      "reasonDetails" {json},
      "attempts" {integer} NOT NULL DEFAULT 0,
      "attemptLog" {json},
      "created" {time} NOT NULL,
      "nextAt" {time} NOT NULL,
      "expires" {time} NOT NULL,
      "ended" {time},
      "otherDeviceId" {integer}`,
    references: { userId: cascade('users') },
    indexes: {
      queued: `("destinationId", "id") WHERE "state" = 'queued'`,
      sending: `("destinationId", "id") WHERE "state" = 'sending'`,
      held: `("nextAt") WHERE "state" = 'held'`,
      held_of: `("userId", "nextAt") WHERE "state" = 'held'`,
      tried: `("destinationId", "nextAt") WHERE "state" = 'queued' AND "attempts" > 0`,
      dead: `("destinationId", "id") WHERE "state" = 'dead'`,
      userId: '("userId", "id")',
      notificationId: '("notificationId") WHERE "notificationId" IS NOT NULL',
      ended: '("ended") WHERE "ended" IS NOT NULL',
      people: '("userId", "channel", "created") WHERE "forwarderId" IS NULL',
      digestId: '("digestId") WHERE "digestId" IS NOT NULL',
      account: `("id") WHERE "what" = 'account' AND "content" <> '{}'`,
      report: `("id") WHERE "what" = 'report' AND "content" <> '{}'`,
    },
  },
  {
    name: 'outboxRelay',
    purpose: 'Outbox rows that wait with their device to be moved to the outbox. Used on Citus only.',
    columns: `
      "deviceId" {integer} NOT NULL,
      "userId" {integer} NOT NULL,
      "posting" {text} NOT NULL,
      "created" {time} NOT NULL`,
  },
  {
    name: 'forwarders',
    purpose: 'Forwarders: where data of a device is sent as it arrives.',
    columns: `
      "deviceId" {integer} NOT NULL,
      "userId" {integer} NOT NULL,
      "kind" {text} NOT NULL,
      "target" {text} NOT NULL,
      "types" {json} NOT NULL,
      "status" {text} NOT NULL,
      "origin" {text} NOT NULL,
      "created" {time} NOT NULL,
      "raw" {flag} NOT NULL DEFAULT 0,
      "corrections" {flag} NOT NULL DEFAULT 0,
      "active" {flag} NOT NULL DEFAULT 1,
      "destinationId" {integer}`,
    references: { deviceId: cascade('devices'), userId: cascade('users'), destinationId: setNull('destinations') },
    unique: {
      setup: `("deviceId") WHERE "origin" = 'setup'`,
    },
    indexes: {
      deviceId: '("deviceId", "id")',
      userId: '("userId")',
      destinationId: '("destinationId") WHERE "destinationId" IS NOT NULL',
    },
  },
  {
    name: 'pushSubscriptions',
    purpose: 'Browsers that receive push messages.',
    columns: `
      "userId" {integer} NOT NULL,
      "endpoint" {text} NOT NULL,
      "keys" {json} NOT NULL,
      "agent" {text},
      "created" {time} NOT NULL`,
    references: { userId: cascade('users') },
    unique: {
      endpoint: '("endpoint")',
    },
    indexes: {
      userId: '("userId", "id")',
    },
  },
  {
    name: 'queueHolders',
    purpose: 'Which user may send to an SQS queue.',
    columns: `
      "arn" {text} NOT NULL,
      "userId" {integer} NOT NULL,
      "allowed" {json},
      "created" {time} NOT NULL,
      "provenAt" {time}`,
    references: { userId: cascade('users') },
    unique: {
      arn: '("arn")',
    },
  },
  {
    name: 'queueProofs',
    purpose: 'Codes sent to SQS queues to prove who owns them. Stored as hashes.',
    columns: `
      "arn" {text} NOT NULL,
      "userId" {integer} NOT NULL,
      "hash" {text} NOT NULL,
      "created" {time} NOT NULL`,
    references: { userId: cascade('users') },
    indexes: {
      userId: '("userId", "created")',
      created: '("created")',
    },
  },
  {
    name: 'savedReports',
    purpose: 'Reports that users saved, with their schedule.',
    columns: `
      "userId" {integer} NOT NULL,
      "name" {text} NOT NULL,
      "kind" {text} NOT NULL,
      "deviceIds" {json},
      "groupId" {integer},
      "tag" {text},
      "fenceIds" {json},
      "limit" {number},
      "period" {text} NOT NULL,
      "columns" {texts},
      "format" {text} NOT NULL,
      "every" {text} NOT NULL,
      "time" {text} NOT NULL,
      "weekday" {integer} NOT NULL,
      "monthday" {integer} NOT NULL,
      "timeZone" {text},
      "nextAt" {time},
      "lastAt" {time},
      "lastResult" {text},
      "created" {time} NOT NULL,
      "firstDay" {text},
      "lastDay" {text},
      "recipients" {texts}`,
    references: { userId: cascade('users'), groupId: cascade('deviceGroups') },
    indexes: {
      userId: '("userId", "id")',
      groupId: '("groupId") WHERE "groupId" IS NOT NULL',
      nextAt: '("nextAt") WHERE "nextAt" IS NOT NULL',
    },
  },
  {
    name: 'reportDevices',
    purpose: 'Which devices an e-mailed report contains.',
    key: ['outboxId', 'deviceId'],
    columns: `
      "outboxId" {integer} NOT NULL,
      "deviceId" {integer} NOT NULL`,
    references: { outboxId: cascade('outbox') },
  },
  {
    name: 'deliveries',
    purpose: 'View: the outbox as the API shows it.',
    create: `CREATE VIEW "deliveries" AS
SELECT o."id", o."messageId", o."userId", o."deviceId", o."channel", d."target", o."destinationId",
  CASE WHEN o."channel" = 'push' THEN NULL ELSE o."address" END AS "address",
  o."what", o."notificationId", o."forwarderId", o."digestId",
  CASE WHEN o."state" = 'held' THEN 'queued' ELSE o."state" END AS "status",
  o."reason", o."reasonDetails", o."attempts", o."attemptLog", o."created", o."nextAt", o."ended"
FROM "outbox" o LEFT JOIN "destinations" d ON d."id" = o."destinationId";`,
  },
  {
    name: 'destinationStates',
    purpose: 'View: destinations with the number of deliveries that wait.',
    create: `CREATE VIEW "destinationStates" AS
SELECT d."id", d."kind", d."target", d."userId", d."state",
  (SELECT COUNT(*) FROM "outbox" o WHERE o."destinationId" = d."id" AND o."state" = 'queued')
    + (SELECT COUNT(*) FROM "outbox" o WHERE o."destinationId" = d."id" AND o."state" = 'sending') AS "waiting",
  (SELECT ({now} - o."created") / 1000 FROM "outbox" o WHERE o."destinationId" = d."id" AND o."state" = 'queued'
    ORDER BY o."id" LIMIT 1) AS "lag",
  (SELECT COUNT(*) FROM "outbox" o WHERE o."destinationId" = d."id" AND o."state" = 'dead') AS "dead",
  d."lastSuccess", d."lastError", d."lastErrorDetails", d."lastErrorAt", d."downSince", d."nextTryAt", d."created"
FROM "destinations" d;`,
  },
  {
    name: 'forwarderStates',
    purpose: 'View: forwarders with their status in words.',
    create: `CREATE VIEW "forwarderStates" AS
SELECT f."id", f."deviceId", f."userId", f."kind", f."target", f."types", f."raw", f."corrections", f."active",
  CASE
    WHEN f."active" = 0 THEN 'Switched off.'
    WHEN d."state" = 'off' THEN 'Stopped: the destination answered that it no longer exists. Switch the forwarder on to try again.'
    WHEN d."state" = 'down' THEN 'Down, retrying: ' || COALESCE(d."lastError", 'the destination cannot be reached.')
    WHEN d."lastErrorAt" > COALESCE(d."lastSuccess", 0) THEN 'Failing: ' || COALESCE(d."lastError", 'the reason is unknown.')
    WHEN d."lastSuccess" IS NULL THEN 'Ready. Nothing has been sent yet.'
    ELSE 'Working.'
  END AS "status",
  CASE
    WHEN f."active" = 0 THEN 'switchedOff'
    WHEN d."state" = 'off' THEN 'stopped'
    WHEN d."state" = 'down' THEN 'down'
    WHEN d."lastErrorAt" > COALESCE(d."lastSuccess", 0) THEN 'failing'
    WHEN d."lastSuccess" IS NULL THEN 'ready'
    ELSE 'working'
  END AS "state",
  (SELECT COUNT(*) FROM "outbox" o WHERE o."destinationId" = f."destinationId" AND o."state" = 'queued'
    AND o."forwarderId" = f."id") AS "waiting",
  (SELECT ({now} - o."created") / 1000 FROM "outbox" o WHERE o."destinationId" = f."destinationId"
    AND o."state" = 'queued' ORDER BY o."id" LIMIT 1) AS "lag",
  d."lastSuccess", d."lastError", d."lastErrorDetails", f."created"
FROM "forwarders" f LEFT JOIN "destinations" d ON d."id" = f."destinationId";`,
  },
];
