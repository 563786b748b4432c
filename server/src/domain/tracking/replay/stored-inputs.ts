import type { Workplace } from '../../../platform/storage/work.ts';
import type { Tables } from '../../schema/tables.ts';
import { type Input, inOrder } from '../judge/inputs.ts';
import { fixInputs, JUDGED_COLUMNS, readingInput } from '../judge/to-fix.ts';

const CHUNK = 500;

/** The inputs of a device after a moment, in their order, a chunk at a time. */
export async function* inputsAfter(
  store: Pick<Workplace<Tables>, 'query'>,
  deviceId: number,
  after: number,
): AsyncGenerator<Input[]> {
  let from = after;
  for (;;) {
    const points = await store.query
      .selectFrom('points')
      .select(JUDGED_COLUMNS)
      .where('deviceId', '=', deviceId)
      .where('timestamp', '>', from)
      .where((when) => when.or([when('judged', 'is', null), when('judged', '!=', 'tooOld')]))
      .orderBy('timestamp')
      .limit(CHUNK)
      .execute();
    // A chunk ends before its last instant, which may have more reports than fit.
    const isLast = points.length < CHUNK;
    const until = isLast ? Number.MAX_SAFE_INTEGER : points.at(-1)!.timestamp - 1;
    const whole = isLast ? points : points.filter(({ timestamp }) => timestamp <= until);
    const readings = await store.query
      .selectFrom('gatewayReadings')
      .select(['id', 'timestamp', 'type', 'value'])
      .where((when) =>
        when.or([
          when('deviceId', '=', deviceId),
          when.and([when('gatewayId', '=', deviceId), when('deviceId', 'is', null)]),
        ]),
      )
      .where('timestamp', '>', from)
      .where('timestamp', '<=', until)
      .execute();
    const messages = await store.query
      .selectFrom('messages')
      .select(['id', 'created'])
      .where('deviceId', '=', deviceId)
      .where('mobileTerminated', '=', 0)
      .where('created', '>', from)
      .where('created', '<=', until)
      .execute();
    const messageInputs = messages.map(({ id, created }): Input => ({ kind: 'message', at: created, id }));
    yield [...fixInputs(whole), ...readings.map(readingInput), ...messageInputs].sort(inOrder);
    if (isLast) return;
    from = until;
  }
}
