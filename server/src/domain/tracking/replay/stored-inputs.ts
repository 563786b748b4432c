import type { Kysely } from 'kysely';
import { positions } from '../../positions/positions.ts';
import { readings } from '../../positions/readings.ts';
import type { Tables } from '../../schema/tables.ts';
import {
  EVALUATED_COLUMNS,
  fixInputs,
  type Input,
  inOrder,
  readingInput,
  type StoredPoint,
} from '../evaluate/inputs.ts';

const CHUNK = 500;
/** Of more positions than this for one instant, the first that came are evaluated. */
const MOST_OF_AN_INSTANT = 5000;

interface Reading {
  readonly query: Kysely<Tables>;
}

/** The inputs of a device after a moment, in their order, a chunk at a time. */
export async function* inputsAfter({ query }: Reading, deviceId: number, after: number): AsyncGenerator<Input[]> {
  let from = after;
  for (;;) {
    const { inputs, until } = await someInputs(query, deviceId, from, CHUNK);
    yield inputs;
    if (until === undefined) return;
    from = until;
  }
}

interface SomeInputs {
  /** All inputs up to `until`, in their order. */
  readonly inputs: Input[];
  /** Undefined where there are no more. */
  readonly until: number | undefined;
}

/** The next inputs of a device after a moment: about as many as wanted, since an instant is never cut. */
export async function someInputs(
  query: Kysely<Tables>,
  deviceId: number,
  from: number,
  wanted: number,
): Promise<SomeInputs> {
  const { points, until } = await somePoints(query, deviceId, from, wanted);
  const end = until ?? Number.MAX_SAFE_INTEGER;
  const span = { from: from + 1, to: end, columns: ['type', 'value'] as const, limit: Number.MAX_SAFE_INTEGER };
  const about = await readings(query, { scope: { deviceId }, ...span });
  const aboutNobody = await readings(query, { scope: { gatewayId: deviceId, deviceId: null }, ...span });
  const messages = await query
    .selectFrom('messages')
    .select(['id', 'created'])
    .where('deviceId', '=', deviceId)
    .where('mobileTerminated', '=', 0)
    .where('created', '>', from)
    .where('created', '<=', end)
    .execute();
  const messageInputs = messages.map(({ id, created }): Input => ({ kind: 'message', at: created, id }));
  return {
    inputs: [...fixInputs(points), ...about.map(readingInput), ...aboutNobody.map(readingInput), ...messageInputs].sort(
      inOrder,
    ),
    until,
  };
}

/** Whole instants: a fix is made of all positions of its instant. */
async function somePoints(
  query: Kysely<Tables>,
  deviceId: number,
  from: number,
  wanted: number,
): Promise<{ readonly points: readonly StoredPoint[]; readonly until: number | undefined }> {
  const evaluated = { deviceId, columns: EVALUATED_COLUMNS, kind: 'evaluated' } as const;
  const points = await positions(query, { ...evaluated, from: from + 1, to: Number.MAX_SAFE_INTEGER, limit: wanted });
  if (points.length < wanted) return { points, until: undefined };
  const last = points.at(-1)!.timestamp;
  const whole = points.filter(({ timestamp }) => timestamp < last);
  if (whole.length > 0) return { points: whole, until: last - 1 };
  // One instant has more positions than were wanted.
  const ofInstant = await positions(query, { ...evaluated, from: last, to: last, limit: MOST_OF_AN_INSTANT });
  return { points: ofInstant, until: last };
}
