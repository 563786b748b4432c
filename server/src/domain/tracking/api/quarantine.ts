import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { quarantineOperations as contract } from '@trackway/contract/resources/quarantine.ts';
import { quarantined } from '@trackway/contract/resources/trip.ts';
import type { Call, Handlers } from '../../../calls.ts';
import { isoTime as iso } from '../../../platform/times.ts';
import { byCaller, recordAudit, recordDeviceAudit } from '../../audit/record.ts';
import { familyOf, listOf } from '../../family.ts';
import { collectionOf } from '../../schema/table.ts';
import type { Store } from '../../schema/tables.ts';
import type { Engine } from '../engine.ts';
import { discardQuarantined, type QuarantineChoice, releaseQuarantined } from '../release.ts';

/** What was put into quarantine: by cause, released, or discarded. */
export function quarantineOperations(
  store: Store,
  { intake }: Pick<Engine, 'intake'>,
): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'quarantine', quarantined);
  const everyone = familyOf('quarantine', rows, () => ({ sql: '1 = 1', cells: [] }));

  async function causes(deviceId?: number): Promise<AnswerOf<'summarizeQuarantine'>> {
    let found = store.query.selectFrom('quarantine');
    if (deviceId !== undefined) found = found.where('deviceId', '=', deviceId);
    const rows = await found
      .select((of) => [
        'reason',
        of.fn.max('reasonCode').as('reasonCode'),
        of.fn.countAll<number>().as('count'),
        of.fn.count<number>('deviceId').distinct().as('devices'),
        of.fn.min('created').as('oldest'),
        of.fn.max('created').as('newest'),
      ])
      .groupBy('reason')
      .orderBy('count', 'desc')
      .limit(MAX_CAUSES)
      .execute();
    return rows.map((row) => ({
      reason: row.reason,
      reasonCode: row.reasonCode,
      count: Number(row.count),
      devices: Number(row.devices),
      oldest: iso(row.oldest),
      newest: iso(row.newest),
    }));
  }

  async function release(call: Call, choice: QuarantineChoice) {
    const done = await releaseQuarantined(store, intake, choice, call.now);
    await audit(call, 'quarantine.released', choice, done.released + done.duplicates);
    return done;
  }

  async function discard(call: Call, choice: QuarantineChoice) {
    const done = await discardQuarantined(store, choice);
    await audit(call, 'quarantine.discarded', choice, done.discarded);
    return done;
  }

  async function audit(
    call: Call,
    action: 'quarantine.released' | 'quarantine.discarded',
    { deviceId, reason }: QuarantineChoice,
    count: number,
  ): Promise<void> {
    if (count === 0) return;
    const entry = { action, detail: { count, ...(reason != null && { reason }) } };
    if (deviceId != null) await recordDeviceAudit(store.query, call, { ...entry, deviceId });
    else await recordAudit(store.query, { ...entry, ...byCaller(call) }, call.now);
  }

  const ofDevice = (call: Call): QuarantineChoice => ({ ...choiceOf(call), deviceId: call.deviceId });

  return {
    summarizeDeviceQuarantine: (call) => causes(call.deviceId),
    releaseDeviceQuarantine: (call) => release(call, ofDevice(call)),
    discardDeviceQuarantine: (call) => discard(call, ofDevice(call)),
    listAllQuarantine: (call) => listOf(everyone, call),
    summarizeQuarantine: () => causes(),
    releaseQuarantine: (call) => release(call, choiceOf(call)),
    discardQuarantine: (call) => discard(call, choiceOf(call)),
  };
}

/** Unreadable items may have many reasons. */
const MAX_CAUSES = 100;

function choiceOf({ body }: Call): QuarantineChoice {
  const { id, deviceId, reason, from, to } = body as Record<string, never>;
  const moment = (value: unknown) => (typeof value === 'string' ? Date.parse(value) : (value as number | undefined));
  return { id, deviceId, reason, from: moment(from), to: moment(to) };
}
