import type { TimelineType } from '@trackway/contract/resources/timeline.ts';
import { defineReadWork, type Workplace } from '../../../platform/storage/work.ts';
import { unpackPositions } from '../../positions/packed-positions.ts';
import { receivedSegments, segmentsWithin } from '../../positions/segments.ts';
import { BELATED, PROMPT_MS } from '../../schema/migrations/0001/positions.ts';
import type { Tables } from '../../schema/tables.ts';
import type { StoredPoint } from '../evaluate/inputs.ts';

interface TimelineWanted {
  readonly deviceId: number;
  readonly type: TimelineType;
  /** Exclusive. */
  readonly since: number;
  /** Inclusive. */
  readonly until: number;
}

export interface TimelineEntry {
  readonly recordedAt: number;
  readonly at: number;
  readonly type: string;
  readonly description: string;
  readonly meta: Readonly<Record<string, string>>;
}

interface ReadTimeline {
  readonly entries: readonly TimelineEntry[];
  /** Up to when these are all. */
  readonly until: number;
}

const MOST = 10_000;
/** Positions are looked through in the order of their times, about this many at most. */
const MOST_IN_WINDOW = 5 * MOST;
const TEXT_LENGTH = 200;

/** Entries in the order of recording, up to the requested number. */
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
  const whole = entries.filter(({ recordedAt }) => recordedAt < next.recordedAt);
  if (whole.length > 0) return { entries: whole, until: whole.at(-1)!.recordedAt };
  // All that one report brought was recorded at one moment.
  const all = await read(Number.MAX_SAFE_INTEGER);
  return { entries: all.filter(({ recordedAt }) => recordedAt === next.recordedAt), until: next.recordedAt };
}

const inOrder = (a: TimelineEntry, b: TimelineEntry) => a.recordedAt - b.recordedAt;

const eventsOf =
  ({ query }: Workplace<Tables>, { deviceId, type, since, until }: TimelineWanted): Read =>
  async (limit) => {
    const rows = await query
      .selectFrom('deviceEvents')
      .select(['recordedAt', 'at', 'type', 'description', 'meta'])
      .where('deviceId', '=', deviceId)
      .where('recordedAt', '>', since)
      .where('recordedAt', '<=', until)
      // The character after the slash ends what begins with it.
      .where('type', '>', `${type}/`)
      .where('type', '<', `${type}0`)
      .orderBy('recordedAt')
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
      .select(['id', 'created', 'timestamp', 'list', 'reason', 'reasonCode'])
      .where('deviceId', '=', deviceId)
      .where('created', '>', since)
      .where('created', '<=', until)
      .orderBy('created')
      .orderBy('id')
      .limit(limit)
      .execute();
    const notes = rows.map(
      ({ id, created, timestamp, list, reason, reasonCode }): TimelineEntry => ({
        recordedAt: created,
        at: timestamp ?? created,
        type: 'backendnote/quarantine',
        description: `An item was quarantined: ${reason}`,
        meta: { quarantineId: String(id), list, reason, ...(reasonCode && { reasonCode }) },
      }),
    );
    return [...(await events(limit)), ...notes].sort(inOrder).slice(0, limit);
  };
};

interface MessageCells {
  readonly id: number;
  readonly recordedAt: number;
  readonly kind: keyof typeof MESSAGES;
  readonly message: string | null;
}

const MESSAGES = {
  'down/created': 'A message for the device was queued.',
  'down/sent': 'A message was sent to the device.',
  up: 'The device sent a message.',
} as const;

/** What was sent was recorded twice: when it was made, and when it was sent. */
const messagesOf = (workplace: Workplace<Tables>, { deviceId, since, until }: TimelineWanted): Read => {
  const part = (kind: keyof typeof MESSAGES, time: string, isDown: number) =>
    `SELECT "id", "${time}" AS "recordedAt", '${kind}' AS "kind", "message" FROM "messages"
     WHERE "deviceId" = ? AND "mobileTerminated" = ${isDown} AND "${time}" > ? AND "${time}" <= ?`;
  const parts = [part('down/created', 'created', 1), part('down/sent', 'sent', 1), part('up', 'created', 0)];
  const messages = workplace.prepare<MessageCells>(
    'timeline.messages',
    `SELECT * FROM (${parts.join(' UNION ALL ')}) m ORDER BY "recordedAt", "id", "kind" LIMIT ?`,
  );
  const one = [deviceId, since, until];
  return async (limit) => {
    const rows = await messages.all(...one, ...one, ...one, limit);
    return rows.map(({ id, recordedAt, kind, message }) => ({
      recordedAt,
      at: recordedAt,
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
  const { is, created } = workplace.dialect.pick(BELATED);
  const belated = workplace.prepare<PointCells>(
    'timeline.belated',
    `SELECT ${CELLS} FROM "points" WHERE "id" IN (SELECT "id" FROM "positions"
       WHERE "deviceId" = ? AND ${is} AND ${created} > ? AND ${created} <= ? ORDER BY ${created}, "id" LIMIT ?) ${IN_ORDER}`,
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

/** Segments are opened in the order of reception, until there are enough positions. */
async function packedEntries(
  { query }: Workplace<Tables>,
  { deviceId, since, until }: TimelineWanted,
): Promise<TimelineEntry[]> {
  const segments = await receivedSegments(query, deviceId, { since, until }).execute();
  const entries: TimelineEntry[] = [];
  for (const { firstReceivedAt, firstAt } of segments) {
    const before = entries.filter(({ recordedAt }) => recordedAt < firstReceivedAt).length;
    if (before > MOST) break;
    const segment = await segmentsWithin(query, deviceId, { from: firstAt, to: firstAt })
      .select('data')
      .executeTakeFirst();
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
    recordedAt: created,
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
  gateway: 'the gateways that received it',
  invalid: 'nothing known',
};

const textsOf = (values: Readonly<Record<string, string | number | null | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]])));
