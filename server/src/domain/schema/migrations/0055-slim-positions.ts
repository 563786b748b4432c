import type { Migration } from '../../../platform/storage/migrations.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';

/**
 * Positions in small types: degrees as integers of 1e-7, most other values of 0.01 or 0.001, when a position was received
 * as a delay, no hash, one index. What does not fit is kept as it is in `extra`. The view `points` shows them as before.
 *
 * This takes a moment, however many positions there are: those that were stored before stay in their table, which the
 * view shows as well, until the server has carried them over (`positions/carry-over.ts`).
 */
export const slimPositions: Migration = {
  name: '0055-slim-positions',
  up: (storeKind) => `
ALTER TABLE "points" RENAME TO "oldPoints";
${TABLE[storeKind]}
${COUNT_ON[storeKind]}
${pointsView(storeKind, { hasOld: true })}
INSERT INTO "settings" ("name", "value") VALUES ('oldPoints', '0');
`,
  whereEmpty: {
    table: 'points',
    up: (storeKind) => `
DROP TABLE "points";
${TABLE[storeKind]}
${pointsView(storeKind, { hasOld: false })}
`,
  },
};

/** How far its time and when it was received are apart in all but a few positions. */
export const PROMPT_MS = 3_600_000;

/** The others, which have an index of their own by when they were received: few, but for imported history. */
export const BELATED: Record<StoreKind, { readonly is: string; readonly deviceId: string; readonly created: string }> =
  {
    sqlite: {
      is: `("delay" IS NULL OR "delay" > ${PROMPT_MS} OR "delay" < -${PROMPT_MS})`,
      deviceId: '"deviceId"',
      created: `COALESCE("timestamp" + "delay", CAST("extra" ->> 'created' AS INTEGER))`,
    },
    postgres: {
      is: `("delay" IS NULL AND ("delayWide" IS NULL OR "delayWide" > ${PROMPT_MS} OR "delayWide" < -${PROMPT_MS}))`,
      deviceId: 'CAST("deviceId" AS BIGINT)',
      created: `COALESCE("timestamp" + "delayWide", CAST("extra" ->> 'created' AS BIGINT))`,
    },
  };

const belatedIndex = (storeKind: StoreKind) =>
  `CREATE INDEX "positions_belated" ON "positions" ((${BELATED[storeKind].deviceId}), (${BELATED[storeKind].created})) WHERE ${BELATED[storeKind].is};`;

/**
 * The columns of PostgreSQL are in the order of their sizes, so that none leaves a gap. Those with two sizes have the
 * value in the one that it fits into. An id of a device is shown as a large number, and the index is of what is shown, so
 * that it serves numbers that no device can have.
 */
const TABLE: Record<StoreKind, string> = {
  sqlite: `
CREATE TABLE "positions" (
  "id" INTEGER PRIMARY KEY AUTOINCREMENT,
  "deviceId" INTEGER NOT NULL,
  "timestamp" INTEGER NOT NULL,
  "delay" INTEGER,
  "lat" INTEGER,
  "lng" INTEGER,
  "speed" INTEGER,
  "altitude" INTEGER,
  "course" INTEGER,
  "accuracy" INTEGER,
  "kind" INTEGER,
  "sats" INTEGER,
  "hdop" INTEGER,
  "batteryPct" INTEGER,
  "batteryVoltage" INTEGER,
  "averageCharge" INTEGER,
  "sendReason" INTEGER,
  "alertType" INTEGER,
  "mode" INTEGER,
  "gsmSignal" INTEGER,
  "extra" TEXT
);
CREATE INDEX "positions_device_timestamp" ON "positions" ("deviceId", "timestamp");
${belatedIndex('sqlite')}`,
  postgres: `
CREATE SEQUENCE "positions_ids";
CREATE TABLE "positions" (
  "id" BIGINT NOT NULL DEFAULT nextval('"positions_ids"'),
  "timestamp" BIGINT NOT NULL,
  "deviceId" INTEGER NOT NULL,
  "lat" INTEGER,
  "lng" INTEGER,
  "delayWide" INTEGER,
  "speedWide" INTEGER,
  "altitudeWide" INTEGER,
  "accuracyWide" INTEGER,
  "hdopWide" INTEGER,
  "batteryVoltageWide" INTEGER,
  "slot" SMALLINT NOT NULL,
  "delay" SMALLINT,
  "speed" SMALLINT,
  "altitude" SMALLINT,
  "course" SMALLINT,
  "accuracy" SMALLINT,
  "kind" SMALLINT,
  "sats" SMALLINT,
  "hdop" SMALLINT,
  "batteryPct" SMALLINT,
  "batteryVoltage" SMALLINT,
  "averageCharge" SMALLINT,
  "sendReason" SMALLINT,
  "alertType" SMALLINT,
  "mode" SMALLINT,
  "gsmSignal" SMALLINT,
  "extra" JSONB
);
ALTER SEQUENCE "positions_ids" OWNED BY "positions"."id";
CREATE INDEX "positions_id" ON "positions" ("id") WITH (fillfactor = 100);
CREATE INDEX "positions_device_timestamp" ON "positions" ((CAST("deviceId" AS BIGINT)), "timestamp") WITH (fillfactor = 100);
${belatedIndex('postgres')}`,
};

/** Ids go on where they are: none is given twice. */
const COUNT_ON: Record<StoreKind, string> = {
  sqlite: `INSERT INTO "sqlite_sequence" ("name", "seq") SELECT 'positions', "seq" FROM "sqlite_sequence" WHERE "name" = 'oldPoints';`,
  postgres: `SELECT setval('"positions_ids"', GREATEST((SELECT "last_value" FROM "points_id_seq"), 1));`,
};

const WIDE = ['delay', 'speed', 'altitude', 'accuracy', 'hdop', 'batteryVoltage'];

/** The positions as they were sent. */
export function pointsView(storeKind: StoreKind, { hasOld }: { readonly hasOld: boolean }): string {
  const columns = storeKind === 'postgres' ? { slot: '"slot"', ...shown(storeKind) } : shown(storeKind);
  const old: Record<string, string> = {
    ...Object.fromEntries(Object.keys(columns).map((name) => [name, `"${name}"`])),
    slot: `CAST("deviceId" % 64 AS SMALLINT)`,
    isHeard: `CASE WHEN "hash" = 'heard' THEN 1 ELSE 0 END`,
    reportedHash: `CASE WHEN "hash" <> 'heard' THEN "hash" END`,
  };
  const select = (from: string, texts: Readonly<Record<string, string>>) =>
    `SELECT ${Object.keys(columns)
      .map((name) => `${texts[name]} AS "${name}"`)
      .join(', ')} FROM "${from}"`;
  const both = hasOld ? `\nUNION ALL ${select('oldPoints', old)}` : '';
  return `CREATE VIEW "points" AS ${select('positions', columns)}${both};`;
}

/** Each column of the view, as it follows from those of the table. */
function shown(storeKind: StoreKind): Record<string, string> {
  const isPostgres = storeKind === 'postgres';
  const [integer, real] = isPostgres ? ['BIGINT', 'DOUBLE PRECISION'] : ['INTEGER', 'REAL'];
  const kept = (name: string) =>
    isPostgres && WIDE.includes(name) ? `COALESCE("${name}", "${name}Wide")` : `"${name}"`;
  const extra = (name: string, type: string) => `CAST("extra" ->> '${name}' AS ${type})`;
  const number = (column: string, divisor: number, name = column, offset = 0) =>
    `COALESCE(CAST(${offset === 0 ? kept(column) : `(${kept(column)} + ${offset})`} AS ${real}) / ${divisor}, ${extra(name, real)})`;
  const whole = (name: string) => `COALESCE(CAST(${kept(name)} AS ${integer}), ${extra(name, integer)})`;
  const text = (name: string) => (isPostgres ? `("extra" ->> '${name}') COLLATE "C"` : `"extra" ->> '${name}'`);
  const word = (sql: string) => (isPostgres ? `CAST(${sql} AS TEXT) COLLATE "C"` : sql);
  const bits = (shift: number, mask: number) => `(COALESCE(CAST("kind" AS INTEGER), 0) >> ${shift}) & ${mask}`;
  return {
    id: '"id"',
    deviceId: isPostgres ? 'CAST("deviceId" AS BIGINT)' : '"deviceId"',
    timestamp: '"timestamp"',
    locationLat: number('lat', 10_000_000, 'locationLat'),
    locationLng: number('lng', 10_000_000, 'locationLng'),
    speed: number('speed', 100),
    altitude: number('altitude', 100),
    course: number('course', 100, 'course', 18_000),
    accuracy: number('accuracy', 100),
    locationType: word(
      `CASE ${bits(0, 7)} WHEN 0 THEN 'gps' WHEN 1 THEN 'wifi' WHEN 2 THEN 'gsm' WHEN 3 THEN 'gateway' ELSE 'invalid' END`,
    ),
    sats: whole('sats'),
    hdop: number('hdop', 1000),
    batteryPct: number('batteryPct', 100),
    batteryVoltage: number('batteryVoltage', 1000),
    averageCharge: whole('averageCharge'),
    sendReason: whole('sendReason'),
    alertType: whole('alertType'),
    mode: whole('mode'),
    gsmSignal: number('gsmSignal', 100),
    address: text('address'),
    correlationId: text('correlationId'),
    created: `COALESCE("timestamp" + ${kept('delay')}, ${extra('created', integer)})`,
    judged: word(`CASE ${bits(3, 3)} WHEN 1 THEN 'implausible' WHEN 2 THEN 'tooOld' END`),
    stringValue: text('stringValue'),
    currentUsed: extra('currentUsed', real),
    num_value: text('num_value'),
    heardBy: `"extra" -> 'heardBy'`,
    isHeard: bits(5, 1),
    reportedHash: text('reportedHash'),
  };
}
