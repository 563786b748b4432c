import type { TimelineType } from '@trackway/contract/resources/timeline.ts';
import { defineReadWork, type Workplace } from '../../../platform/storage/work.ts';
import { unpackPositions } from '../../positions/packed-positions.ts';
import { receivedSegments, segmentsWithin } from '../../positions/segments.ts';
import { BELATED, PROMPT_MS } from '../../schema/migrations/0055-slim-positions.ts';
import type { Tables } from '../../schema/tables.ts';
import type { StoredPoint } from '../judge/to-fix.ts';

export interface TimelineWanted {
  readonly deviceId: number;
  readonly type: TimelineType;
  /** Exclusive. */
  readonly since: number;
  /** Inclusive. */
  readonly until: number;
}

export interface TimelineEntry {
  readonly recorded: number;
  readonly at: number;
  readonly type: string;
  readonly description: string;
  readonly meta: Readonly<Record<string, string>>;
}

export interface ReadTimeline {
  readonly entries: readonly TimelineEntry[];
  /** Up to when these are all. */
  readonly until: number;
}

const MOST = 10_000;
/** Positions are looked through in the order of their times, about this many at most. */
const MOST_IN_WINDOW = 5 * MOST;
const TEXT_LENGTH = 200;

/** Entries in the order in which they were recorded, as many as were asked for. */
type Read = (limit: number) => Promise<TimelineEntry[]>;

export const readTimeline = defineReadWork(
  import.meta.url,
  async (workplace: Workplace<Tables>, wanted: TimelineWanted): Promise<ReadTimeline> => {
    switch (wanted.type) {
      case 'datapoint':
        return readPoints(workplace, wanted);
      case 'devicemessage':
        return wholeMoments(messagesOf(workplace, wanted), wanted.until);
      case 'backendnote':
        return wholeMoments(notesOf(workplace, wanted), wanted.until);
      default:
        return wholeMoments(eventsOf(workplace, wanted), wanted.until);
    }
  },
);

/** A moment is never cut, so that who reads on from it misses nothing. */
async function wholeMoments(read: Read, until: number): Promise<ReadTimeline> {
  const entries = await read(MOST + 1);
  const next = entries[MOST];
  if (next === undefined) return { entries, until };
  const whole = entries.filter(({ recorded }) => recorded < next.recorded);
  if (whole.length > 0) return { entries: whole, until: whole.at(-1)!.recorded };
  // All that one report brought was recorded at one moment.
  const all = await read(Number.MAX_SAFE_INTEGER);
  return { entries: all.filter(({ recorded }) => recorded === next.recorded), until: next.recorded };
}

const inOrder = (a: TimelineEntry, b: TimelineEntry) => a.recorded - b.recorded;

const eventsOf =
  ({ query }: Workplace<Tables>, { deviceId, type, since, until }: TimelineWanted): Read =>
  async (limit) => {
    const rows = await query
      .selectFrom('deviceEvents')
      .select(['recorded', 'at', 'type', 'description', 'meta'])
      .where('deviceId', '=', deviceId)
      .where('recorded', '>', since)
      .where('recorded', '<=', until)
      // The character after the slash ends what begins with it.
      .where('type', '>', `${type}/`)
      .where('type', '<', `${type}0`)
      .orderBy('recorded')
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(({ meta, ...row }) => ({ ...row, meta: JSON.parse(meta) }));
  };

const notesOf = (workplace: Workplace<Tables>, wanted: TimelineWanted): Read => {
  const events = eventsOf(workplace, wanted);
  const { deviceId, since, until } = wanted;
  return async (limit) => {
    const rows = await workplace.query
      .selectFrom('quarantine')
      .select(['id', 'created', 'timestamp', 'list', 'reason'])
      .where('deviceId', '=', deviceId)
      .where('created', '>', since)
      .where('created', '<=', until)
      .orderBy('created')
      .orderBy('id')
      .limit(limit)
      .execute();
    const notes = rows.map(
      ({ id, created, timestamp, list, reason }): TimelineEntry => ({
        recorded: created,
        at: timestamp ?? created,
        type: 'backendnote/quarantine',
        description: `An item was set aside: ${reason}`,
        meta: { quarantineId: String(id), list, reason },
      }),
    );
    return [...(await events(limit)), ...notes].sort(inOrder).slice(0, limit);
  };
};

interface MessageCells {
  readonly id: number;
  readonly recorded: number;
  readonly kind: keyof typeof MESSAGES;
  readonly message: string | null;
}

const MESSAGES = {
  'down/created': 'A message to the device was created.',
  'down/sent': 'A message was sent to the device.',
  up: 'The device sent a message.',
} as const;

/** What was sent was recorded twice: when it was made, and when it was sent. */
const messagesOf = (workplace: Workplace<Tables>, { deviceId, since, until }: TimelineWanted): Read => {
  const part = (kind: keyof typeof MESSAGES, time: string, isDown: number) =>
    `SELECT "id", "${time}" AS "recorded", '${kind}' AS "kind", "message" FROM "messages"
     WHERE "deviceId" = ? AND "mobileTerminated" = ${isDown} AND "${time}" > ? AND "${time}" <= ?`;
  const parts = [part('down/created', 'created', 1), part('down/sent', 'sent', 1), part('up', 'created', 0)];
  const messages = workplace.prepare<MessageCells>(
    'timeline.messages',
    `SELECT * FROM (${parts.join(' UNION ALL ')}) m ORDER BY "recorded", "id", "kind" LIMIT ?`,
  );
  const one = [deviceId, since, until];
  return async (limit) => {
    const rows = await messages.all(...one, ...one, ...one, limit);
    return rows.map(({ id, recorded, kind, message }) => ({
      recorded,
      at: recorded,
      type: `devicemessage/${kind}`,
      description: MESSAGES[kind],
      meta: textsOf({ messageId: id, text: message?.slice(0, TEXT_LENGTH) }),
    }));
  };
};

const POINT_COLUMNS = [
  'id',
  'created',
  'timestamp',
  'locationLat',
  'locationLng',
  'locationType',
  'accuracy',
  'batteryPct',
] as const;
type PointCells = Pick<
  StoredPoint,
  'id' | 'timestamp' | 'locationLat' | 'locationLng' | 'locationType' | 'accuracy' | 'batteryPct'
> & { readonly created: number };

const CELLS = POINT_COLUMNS.map((column) => `"${column}"`).join(', ');
const PROMPT = `"deviceId" = ? AND "timestamp" > ? AND "timestamp" <= ? AND "created" > ? AND "created" <= ?
  AND "created" - "timestamp" BETWEEN -${PROMPT_MS} AND ${PROMPT_MS}`;
const IN_ORDER = 'ORDER BY "created", "id" LIMIT ?';

/**
 * Most positions are received within an hour of their time, and are found by that; the few others have an index by when
 * they were received.
 */
async function readPoints(workplace: Workplace<Tables>, wanted: TimelineWanted): Promise<ReadTimeline> {
  const { deviceId, since, until } = wanted;
  const beyond = await workplace
    .prepare<{ timestamp: number }>(
      'timeline.windowEnd',
      `SELECT "timestamp" FROM "points" WHERE "deviceId" = ? AND "timestamp" > ? ORDER BY "timestamp" LIMIT 1 OFFSET ${MOST_IN_WINDOW}`,
    )
    .get(deviceId, since - PROMPT_MS);
  // What is behind the end of the window was received after this.
  const farthest = Math.max((beyond?.timestamp ?? Number.MAX_SAFE_INTEGER) - PROMPT_MS, since + 2 * PROMPT_MS);
  const end = Math.min(until, farthest);
  const prompt = workplace.prepare<PointCells>(
    'timeline.prompt',
    `SELECT ${CELLS} FROM "points" WHERE ${PROMPT} ${IN_ORDER}`,
  );
  const { is, deviceId: device, created } = BELATED[workplace.storeKind];
  const belated = workplace.prepare<PointCells>(
    'timeline.belated',
    `SELECT ${CELLS} FROM "points" WHERE "id" IN (SELECT "id" FROM "positions"
       WHERE ${device} = ? AND ${is} AND ${created} > ? AND ${created} <= ? ORDER BY ${created}, "id" LIMIT ?) ${IN_ORDER}`,
  );
  const read: Read = async (limit) => {
    const [first, second] = [since - PROMPT_MS, end + PROMPT_MS];
    const rows = [
      ...(await prompt.all(deviceId, first, second, since, end, limit)),
      ...(await belated.all(deviceId, since, end, limit, limit)),
    ];
    rows.sort((a, b) => a.created - b.created || a.id - b.id);
    return rows.slice(0, limit).map(pointEntry);
  };
  const known = await wholeMoments(read, end);
  const packed = await packedEntries(workplace, { ...wanted, until: known.until });
  if (packed.length === 0) return known;
  const idOf = ({ meta }: TimelineEntry) => Number(meta.pointId);
  const all = [...known.entries, ...packed].sort((a, b) => inOrder(a, b) || idOf(a) - idOf(b));
  return wholeMoments(async (limit) => all.slice(0, limit), known.until);
}

/** Segments are opened in the order in which they were received, until there are as many positions as are shown. */
async function packedEntries(
  { query }: Workplace<Tables>,
  { deviceId, since, until }: TimelineWanted,
): Promise<TimelineEntry[]> {
  const segments = await receivedSegments(query, deviceId, { since, until }).execute();
  const entries: TimelineEntry[] = [];
  for (const { firstCreated, first } of segments) {
    const before = entries.filter(({ recorded }) => recorded < firstCreated).length;
    if (before > MOST) break;
    const segment = await segmentsWithin(query, deviceId, { from: first, to: first }).select('data').executeTakeFirst();
    if (segment === undefined) continue;
    for (const point of unpackPositions(segment.data, POINT_COLUMNS))
      if (point.created > since && point.created <= until) entries.push(pointEntry(point));
  }
  return entries;
}

function pointEntry(point: PointCells): TimelineEntry {
  const { id, created, timestamp, locationLat: lat, locationLng: lng, locationType, accuracy, batteryPct } = point;
  const isPlaced = lat !== null && locationType !== 'invalid';
  return {
    recorded: created,
    at: timestamp,
    type: `datapoint/${isPlaced ? locationType : 'status'}`,
    description: isPlaced ? `A position by ${BY[locationType]}.` : 'A status report.',
    meta: textsOf({ pointId: id, ...(isPlaced && { lat, lng, accuracy }), batteryPct }),
  };
}

const BY: Record<PointCells['locationType'], string> = {
  gps: 'GPS',
  wifi: 'Wi-Fi',
  gsm: 'the mobile network',
  gateway: 'the gateways that heard it',
  invalid: 'nothing known',
};

const textsOf = (values: Readonly<Record<string, string | number | null | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]])));
