import type { Migration } from '../../../platform/storage/migrations.ts';
import { PLACEMENTS, SLOT_VIEWS } from '../placement.ts';
import { SLOTS } from '../slot.ts';
import { SPANNING } from '../spanning.ts';

/**
 * On PostgreSQL every row of a device has the device's slot, with which primary keys and unique indexes begin; nothing
 * refers to such a table by a foreign key, and ids come from plain sequences. So the tables can be spread over servers by
 * slot, and every server finds its rows. On SQLite one process has all slots, and rows need not say theirs.
 */
export const slotKeys: Migration = {
  name: '0060-slot-keys',
  // What 0073 takes to the devices was at one server before.
  placements: {
    ...PLACEMENTS,
    gatewayReadings: { place: 'local' },
    readingSegments: { place: 'local' },
    escalations: { place: 'local', by: 'deviceId' },
  },
  slots: SLOTS,
  slotViews: SLOT_VIEWS,
  spanning: SPANNING,
  up: (storeKind) => (storeKind === 'sqlite' ? KEYS_APART : `${KEYS_APART}${POSTGRES}`),
};

/** What must be unique among all devices cannot be so by slot: it is kept apart from them. */
const KEYS_APART = `
CREATE TABLE "deviceKeys" (
  "deviceId" {integer} PRIMARY KEY,
  "keyHash" {text},
  "imei" {text},
  "serial" {text}
);
INSERT INTO "deviceKeys" ("deviceId", "keyHash", "imei", "serial")
  SELECT "id", "keyHash", "imei", "serial" FROM "devices" WHERE "deletedAt" IS NULL;
CREATE UNIQUE INDEX "deviceKeys_keyHash" ON "deviceKeys" ("keyHash");
CREATE UNIQUE INDEX "deviceKeys_imei" ON "deviceKeys" ("imei");
CREATE UNIQUE INDEX "deviceKeys_serial" ON "deviceKeys" ("serial");
DROP INDEX "devices_keyHash";
DROP INDEX "devices_imei";
DROP INDEX "devices_serial";
`;

/** As they were when this was written: the placements of today may name more. */
const BY_DEVICE = [
  ...['deviceStates', 'deviceConfigs', 'checkpoints', 'trips', 'stops', 'ignitionChanges', 'notificationTriggers'],
  ...['triggerVersions', 'notifications', 'escalations', 'outbox', 'forwarders', 'messages', 'transients', 'rtkStates'],
  ...[
    'rtkCommands',
    'rtkLogs',
    'deviceEvents',
    'quarantine',
    'receivedItems',
    'historyImports',
    'placesDue',
    'ruleDue',
  ],
  ...['deviceGroupMembers', 'shares', 'shareGrants', 'maintenanceTasks', 'maintenanceRecords', 'driverSignOns'],
];
const KEYS = [['devices', 'id'], ...BY_DEVICE.map((table) => [table, 'deviceId'])];
const named = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ');

/**
 * A generated column that becomes a plain one is filled while the table is written anew, which is quicker than an update
 * and leaves no dead rows. What is unique is made again with the slot before the columns that it had. Rows that are known by
 * their id alone, without their device, still are found by an index; so are the states of many devices, since a list of slots
 * and a list of devices would be looked up in all their pairs.
 */
const POSTGRES = `
DO $$
DECLARE
  t RECORD;
  c RECORD;
  source REGCLASS;
  keys TEXT;
  given BIGINT;
  wasCalled BOOLEAN;
BEGIN
  FOR c IN SELECT conrelid::regclass AS "of", conname FROM pg_constraint
    WHERE contype = 'f' AND connamespace = CAST(current_schema() AS regnamespace) AND (
      conrelid IN (SELECT oid FROM pg_class WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relname IN (${named(KEYS.map(([table]) => table!))}))
      OR confrelid IN (SELECT oid FROM pg_class WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relname IN (${named(KEYS.map(([table]) => table!))})))
  LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c."of", c.conname);
  END LOOP;

  FOR t IN SELECT * FROM (VALUES ${KEYS.map(([table, key]) => `('${table}', '${key}')`).join(', ')}) AS keyed ("name", "key") LOOP
    source := CAST(quote_ident(t."name") AS regclass);
    SELECT conname, (SELECT string_agg(quote_ident(attname), ', ' ORDER BY array_position(conkey, attnum))
      FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY(conkey)) AS "columns"
      INTO c FROM pg_constraint WHERE conrelid = source AND contype = 'p';
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I,
      ADD COLUMN "slot" SMALLINT NOT NULL GENERATED ALWAYS AS (CAST(COALESCE(%I, 0) %% ${SLOTS} AS SMALLINT)) STORED,
      ADD PRIMARY KEY ("slot", %s)', source, c.conname, t."key", c."columns");
    EXECUTE format('ALTER TABLE %s ALTER COLUMN "slot" DROP EXPRESSION', source);

    FOR c IN SELECT indexrelid::regclass AS "index", pg_get_indexdef(indexrelid) AS "definition" FROM pg_index
      WHERE indrelid = source AND indisunique AND NOT indisprimary
    LOOP
      EXECUTE format('DROP INDEX %s', c."index");
      EXECUTE regexp_replace(c."definition", 'USING btree \\(', 'USING btree ("slot", ');
    END LOOP;

    IF EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = source AND attidentity <> '') THEN
      EXECUTE format('SELECT last_value, is_called FROM %s', pg_get_serial_sequence(quote_ident(t."name"), 'id')) INTO given, wasCalled;
      EXECUTE format('ALTER TABLE %s ALTER COLUMN "id" DROP IDENTITY', source);
      EXECUTE format('CREATE SEQUENCE %I OWNED BY %s."id"', t."name" || '_ids', source);
      EXECUTE format('ALTER TABLE %s ALTER COLUMN "id" SET DEFAULT nextval(%L)', source, quote_ident(t."name" || '_ids'));
      EXECUTE format('CREATE INDEX %I ON %s ("id")', t."name" || '_id', source);
      PERFORM setval(CAST(quote_ident(t."name" || '_ids') AS regclass), given, wasCalled);
    END IF;
  END LOOP;
END $$;
CREATE INDEX "deviceStates_deviceId" ON "deviceStates" ("deviceId");
ALTER TABLE "liveEvents" ALTER COLUMN "slot" TYPE SMALLINT;
ALTER TABLE "slots" ALTER COLUMN "slot" TYPE SMALLINT;
`;
