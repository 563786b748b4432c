import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * What must be sent of devices and is not in the outbox yet. It has rows only where PostgreSQL is spread over servers: the
 * outbox is at one of them, and a row here is at the server of its device. An older node would not see what stands here
 * when it cancels what was not sent.
 */
export const outgoing: Migration = {
  name: '0072-outgoing',
  up: (storeKind) => (storeKind === 'sqlite' ? SQLITE : POSTGRES),
};

const REST = `
  "deviceId" {integer} NOT NULL,
  "userId" {integer} NOT NULL,
  "posting" {text} NOT NULL,
  "created" {time} NOT NULL`;

const SQLITE = `
CREATE TABLE "outgoing" (
  "id" {id},${REST}
);
`;

const POSTGRES = `
CREATE SEQUENCE "outgoing_ids";
CREATE TABLE "outgoing" (
  "id" BIGINT NOT NULL DEFAULT nextval('"outgoing_ids"'),
  "slot" SMALLINT NOT NULL,${REST},
  PRIMARY KEY ("slot", "id")
);
ALTER SEQUENCE "outgoing_ids" OWNED BY "outgoing"."id";
`;
