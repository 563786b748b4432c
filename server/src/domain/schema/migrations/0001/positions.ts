import type { StoreKind } from '../../../../platform/storage/dialect.ts';
import type { Table, Written } from '../../table.ts';

/** The difference between the time of a position and its reception, in all but a few positions. */
export const PROMPT_MS = 3_600_000;

/** The others, which have an index of their own by when they were received: few, but for imported history. */
export const BELATED: Record<StoreKind, { readonly is: string; readonly created: string }> = {
  sqlite: {
    is: `("delay" IS NULL OR "delay" > ${PROMPT_MS} OR "delay" < -${PROMPT_MS})`,
    created: `COALESCE("timestamp" + "delay", CAST("extra" ->> 'created' AS INTEGER))`,
  },
  postgres: {
    is: `("delay" IS NULL AND ("delayWide" IS NULL OR "delayWide" > ${PROMPT_MS} OR "delayWide" < -${PROMPT_MS}))`,
    created: `COALESCE("timestamp" + "delayWide", CAST("extra" ->> 'created' AS BIGINT))`,
  },
};

const belatedIndex = (storeKind: StoreKind) =>
  `CREATE INDEX "positions_belated" ON "positions" ("deviceId", (${BELATED[storeKind].created})) WHERE ${BELATED[storeKind].is};`;

/**
 * Positions in small types: degrees as integers of 1e-7, most other values of 0.01 or 0.001, when a position was received
 * as a delay, one index. What does not fit is stored unchanged in `extra`. The view `points` shows them as they were sent.
 *
 * The columns of PostgreSQL are in the order of their sizes, so that none leaves a gap. Those with two sizes have the
 * value in the one that it fits into.
 */
const POSITIONS: Record<StoreKind, string> = {
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
  "deviceId" BIGINT NOT NULL,
  "lat" INTEGER,
  "lng" INTEGER,
  "delayWide" INTEGER,
  "speedWide" INTEGER,
  "altitudeWide" INTEGER,
  "accuracyWide" INTEGER,
  "hdopWide" INTEGER,
  "batteryVoltageWide" INTEGER,
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
CREATE INDEX "positions_device_timestamp" ON "positions" ("deviceId", "timestamp") WITH (fillfactor = 100);
${belatedIndex('postgres')}`,
};

const WIDE = ['delay', 'speed', 'altitude', 'accuracy', 'hdop', 'batteryVoltage'];

/** The positions as they were sent. */
function pointsView(storeKind: StoreKind): string {
  const list = Object.entries(shown(storeKind)).map(([name, value]) => `${value} AS "${name}"`);
  return `CREATE VIEW "points" AS SELECT ${list.join(', ')} FROM "positions";`;
}

/** Each column of the view, computed from the columns of the table. */
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
    deviceId: '"deviceId"',
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
    locatingGateways: `"extra" -> 'locatingGateways'`,
    isLocatedByGateways: bits(5, 1),
    reportedHash: text('reportedHash'),
    cell: `"extra" -> 'cell'`,
  };
}

const SEGMENT_COLUMNS = `
  "deviceId" {integer} NOT NULL,
  "firstAt" {time} NOT NULL,
  "lastAt" {time} NOT NULL,
  "count" {integer} NOT NULL,
  "lowId" {integer} NOT NULL,
  "highId" {integer} NOT NULL,
  "firstReceivedAt" {time} NOT NULL,
  "lastReceivedAt" {time} NOT NULL,
  "south" {number},
  "west" {number},
  "north" {number},
  "east" {number},
  "data" {bytes} NOT NULL`;

/** Times are milliseconds; a timestamp without a zone is taken for one of UTC. */
const MS = (time: string) => `CAST(EXTRACT(EPOCH FROM ${time}) * 1000 AS BIGINT)`;

/**
 * On PostgreSQL packed positions are partitioned by month (UTC), so that months can be dropped. `positions/segment-months.ts`
 * makes further ones. What cannot be compressed any further is stored uncompressed.
 */
const SEGMENTS: Record<StoreKind, string> = {
  sqlite: `
CREATE TABLE "positionSegments" (
  "id" {id},${SEGMENT_COLUMNS}
);
CREATE UNIQUE INDEX "positionSegments_device" ON "positionSegments" ("deviceId", "firstAt");`,
  postgres: `
CREATE SEQUENCE "positionSegments_ids";
CREATE TABLE "positionSegments" (
  "id" BIGINT NOT NULL DEFAULT nextval('"positionSegments_ids"'),${SEGMENT_COLUMNS},
  PRIMARY KEY ("deviceId", "firstAt")
) PARTITION BY RANGE ("firstAt");
ALTER SEQUENCE "positionSegments_ids" OWNED BY "positionSegments"."id";
ALTER TABLE "positionSegments" ALTER COLUMN "data" SET STORAGE EXTERNAL;
CREATE TABLE "positionSegments_rest" PARTITION OF "positionSegments" DEFAULT;
DO $$
DECLARE
  month TIMESTAMP := date_trunc('month', now() AT TIME ZONE 'UTC');
BEGIN
  EXECUTE format('CREATE TABLE "positionSegments_before" PARTITION OF "positionSegments" FOR VALUES FROM (MINVALUE) TO (%s)', ${MS('month')});
  FOR ahead IN 0..2 LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF "positionSegments" FOR VALUES FROM (%s) TO (%s)',
      'positionSegments_' || to_char(month, 'YYYY_MM'), ${MS('month')}, ${MS(`(month + INTERVAL '1 month')`)});
    month := month + INTERVAL '1 month';
  END LOOP;
END $$;`,
};

const READING_SEGMENT_COLUMNS = `
  "gatewayId" {integer},
  "deviceId" {integer},
  "firstAt" {time} NOT NULL,
  "lastAt" {time} NOT NULL,
  "count" {integer} NOT NULL,
  "lowId" {integer} NOT NULL,
  "highId" {integer} NOT NULL,
  "types" {text} NOT NULL,
  "data" {bytes} NOT NULL,
  "reporterId" {integer} NOT NULL`;

const READING_SEGMENT_INDEXES = `
CREATE INDEX "readingSegments_gateway" ON "readingSegments" ("gatewayId", "firstAt", "lastAt");
CREATE INDEX "readingSegments_device" ON "readingSegments" ("deviceId", "firstAt", "lastAt");`;

/** `types` lists the types of the readings, each as JSON with a comma before and behind it. */
const READING_SEGMENTS: Record<StoreKind, string> = {
  sqlite: `
CREATE TABLE "readingSegments" (
  "id" {id},${READING_SEGMENT_COLUMNS}
);${READING_SEGMENT_INDEXES}`,
  postgres: `
CREATE SEQUENCE "readingSegments_ids";
CREATE TABLE "readingSegments" (
  "id" BIGINT NOT NULL DEFAULT nextval('"readingSegments_ids"'),${READING_SEGMENT_COLUMNS},
  PRIMARY KEY ("reporterId", "id")
);
ALTER SEQUENCE "readingSegments_ids" OWNED BY "readingSegments"."id";
ALTER TABLE "readingSegments" ALTER COLUMN "data" SET STORAGE EXTERNAL;${READING_SEGMENT_INDEXES}`,
};

/** Positions and readings: rows of recent days, and packed rows of one device and day. */
export const POSITIONS_AND_READINGS: readonly (Table | Written)[] = [
  { name: 'positions', purpose: 'Recent positions of devices, in small integers.', create: POSITIONS },
  {
    name: 'points',
    purpose: 'View: recent positions as they were sent.',
    create: { sqlite: pointsView('sqlite'), postgres: pointsView('postgres') },
  },
  {
    name: 'positionSegments',
    purpose: 'Packed positions: one row for a device and a day. On PostgreSQL partitioned by month.',
    create: SEGMENTS,
  },
  {
    name: 'gatewayReadings',
    purpose: 'Recent sensor readings of devices, by themselves or through a gateway.',
    columns: `
      "timestamp" {time} NOT NULL,
      "created" {time} NOT NULL,
      "type" {text} NOT NULL,
      "value" {json} NOT NULL,
      "rssi" {number},
      "meta" {json},
      "relatedId" {integer},
      "correlationId" {text},
      "gatewayId" {integer},
      "deviceId" {integer},
      "sensorDeviceId" {text},
      "datapointId" {integer},
      "hash" {text},
      "reporterId" {integer} NOT NULL`,
    // What a device reports of itself, as trackers do with each position, has no gateway.
    indexes: {
      gatewayId: '("gatewayId", "id", "timestamp") WHERE "gatewayId" IS NOT NULL',
      gateway_timestamp: '("gatewayId", "timestamp", "id") WHERE "gatewayId" IS NOT NULL',
      gateway_type: '("gatewayId", "type", "id", "timestamp") WHERE "gatewayId" IS NOT NULL',
      gateway_correlation: '("gatewayId", "correlationId", "timestamp") WHERE "correlationId" IS NOT NULL',
      device_gateway: '("deviceId", "gatewayId", "id", "timestamp") WHERE "gatewayId" IS NOT NULL',
      device_timestamp: '("deviceId", "timestamp", "id", "gatewayId")',
      drivers: `("deviceId", "timestamp", "id") WHERE "type" IN ('driver_id', 'driverUniqueId')`,
    },
  },
  {
    name: 'readingRelay',
    purpose: 'Readings of a gateway that have yet to be evaluated for a device of another server. Used on Citus only.',
    columns: `
      "deviceId" {integer} NOT NULL,
      "otherDeviceId" {integer} NOT NULL,
      "content" {text} NOT NULL,
      "created" {time} NOT NULL`,
  },
  {
    name: 'readingSegments',
    purpose: 'Packed readings: one row for a gateway, a device and a day.',
    create: READING_SEGMENTS,
  },
];
