import type { Kysely } from 'kysely';
import { stopRow, tripRow } from '../../motion/journeys.ts';
import type { Tables } from '../../schema/tables.ts';
import { advance, type Effects, noEffects } from '../judge/advance.ts';
import { type Input, inOrder, isNext, type Rules } from '../judge/inputs.ts';
import { type Checkpoint, type DeviceLine, isCheckpointDue, keepCheckpoints } from './device-state-row.ts';
import { type Recorded, type Recording, recordFirings } from './record-notification.ts';

type Tx = Kysely<Tables>;

/** Judges inputs that come after everything seen; what does not is left for a replay. */
export function advanceLine(line: DeviceLine, inputs: readonly Input[], rules: Rules): Judged {
  const effects = noEffects();
  const checkpoints: Checkpoint[] = [];
  const sorted = inputs.length < 2 ? inputs : inputs.toSorted(inOrder);
  const first = sorted[0];
  if (first === undefined) return { effects, checkpoints };
  if (line.dirtyFrom !== null || !isNext(line.state, first)) {
    line.dirtyFrom = Math.min(line.dirtyFrom ?? Number.POSITIVE_INFINITY, first.at);
    return { effects, checkpoints };
  }
  for (const input of sorted) judgeNext(line, input, rules, { effects, checkpoints });
  return { effects, checkpoints };
}

/** One input after the other, with a checkpoint before it where one is due. */
export function judgeNext(
  line: Pick<DeviceLine, 'state' | 'checkpointAt' | 'sinceCheckpoint'>,
  input: Input,
  rules: Rules,
  into: { readonly effects: Effects; readonly checkpoints: Checkpoint[] },
): void {
  if (isCheckpointDue(line, input.at)) {
    into.checkpoints.push({ at: line.state.at, state: line.state });
    line.checkpointAt = line.state.at;
    line.sinceCheckpoint = 0;
  }
  line.state = advance(line.state, input, rules, into.effects).state;
  line.sinceCheckpoint++;
}

interface Judged {
  readonly effects: Effects;
  readonly checkpoints: readonly Checkpoint[];
}

/** Mostly nothing follows that would have to be written down. */
export const hasEffects = ({ effects, checkpoints }: Judged) =>
  checkpoints.length > 0 ||
  effects.firings.length > 0 ||
  effects.trips.length > 0 ||
  effects.stops.length > 0 ||
  effects.implausible.length > 0;

/** Writes down what followed from inputs that came in order. */
export async function keepEffects(
  tx: Tx,
  line: DeviceLine,
  { effects, checkpoints }: Judged,
  { now, oldNewsMs }: Pick<Recording, 'now' | 'oldNewsMs'>,
): Promise<Recorded[]> {
  await keepCheckpoints(tx, line.deviceId, checkpoints);
  for (const trip of effects.trips) await tx.insertInto('trips').values(tripRow(line.deviceId, trip)).execute();
  for (const stop of effects.stops) await tx.insertInto('stops').values(stopRow(line.deviceId, stop)).execute();
  if (effects.implausible.length > 0) {
    await tx.updateTable('points').set({ judged: 'implausible' }).where('id', 'in', effects.implausible).execute();
  }
  const { deviceId, deviceName } = line;
  return recordFirings(tx, effects.firings, { deviceId, deviceName, now, late: false, oldNewsMs });
}

/** The fences that are for this one device, and show whether it was inside when last checked. */
const ownZones = ({ state: { decidedAt } }: DeviceLine, rules: Rules) =>
  decidedAt === undefined ? [] : (rules.bound?.(decidedAt) ?? []);

export const hasOwnZones = (line: DeviceLine, rules: Rules) => ownZones(line, rules).length > 0;

export async function noteZones(tx: Tx, line: DeviceLine, rules: Rules): Promise<void> {
  const { fences, decidedAt } = line.state;
  for (const { fenceId } of ownZones(line, rules)) {
    const wasInside = fences[fenceId]?.inside ? 1 : 0;
    await tx.updateTable('geofences').set({ wasInside, lastChecked: decidedAt }).where('id', '=', fenceId).execute();
  }
}
