import type { Kysely } from 'kysely';
import type { House } from '../forwarding/house.ts';
import { postOutgoing } from '../forwarding/outgoing.ts';
import { type Telling, tell } from '../live/tell.ts';
import { correctJourneys } from '../motion/journeys.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { advance, type Effects, noEffects } from './advance.ts';
import { align } from './align.ts';
import { judgeNext, noteZones } from './commit.ts';
import { type Checkpoint, keepCheckpoints, keepLine, takeLine } from './device-line.ts';
import { type DeviceState, STATE_FORM, UNHEARD } from './device-state.ts';
import { fixInputs, readingInput } from './fix-of.ts';
import { type Input, inOrder, type Rules } from './inputs.ts';
import { contentOf, noteFired, type Recorded, recordFirings } from './record.ts';
import type { DeviceRules, RuleShelf } from './rule-shelf.ts';
import { motionTellings, notificationTellings } from './tellings.ts';

/** Judges a device again from the last checkpoint before what came late, and corrects what follows from it. */

const CHUNK = 500;
const SLICE_MS = 10;
const ROUNDS = 2;

export interface Corrected {
  readonly deviceId: number;
  readonly added: readonly Recorded[];
  readonly retracted: readonly { id: number; userId: number; triggerId: number; status: string; reason: string }[];
}

interface Start {
  readonly dirtyFrom: number;
  readonly appends: number;
  readonly rules: number;
  readonly state: DeviceState;
}

interface Outcome {
  readonly state: DeviceState;
  readonly effects: Effects;
  readonly checkpoints: readonly Checkpoint[];
  readonly sinceCheckpoint: number;
}

/** Undefined where there is nothing to do; `overtaken` where new data came again and again while it ran. */
export async function replay(
  store: Store,
  shelf: RuleShelf,
  deviceId: number,
  clock: () => number,
): Promise<Corrected | 'overtaken' | undefined> {
  for (let round = 0; round < ROUNDS; round++) {
    const start = await startOf(store, deviceId);
    if (start === undefined) return undefined;
    const rules = await shelf.rulesFor(deviceId, start.rules, clock());
    const outcome = await runAgain(store, deviceId, start, rules, clock());
    if (outcome === undefined) continue;
    const done = await store.transaction((tx) =>
      correct(tx, store, deviceId, start, { ...outcome, rules, house: shelf.house }, clock()),
    );
    if (done) return done;
  }
  return 'overtaken';
}

async function startOf(store: Store, deviceId: number): Promise<Start | undefined> {
  const row = await store.query
    .selectFrom('deviceStates')
    .selectAll()
    .where('deviceId', '=', deviceId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const dirtyFrom = row.form === STATE_FORM || row.newest === null ? row.dirtyFrom : 0;
  if (dirtyFrom === null) return undefined;
  const checkpoint = await store.query
    .selectFrom('checkpoints')
    .selectAll()
    .where('deviceId', '=', deviceId)
    .where('at', '<', dirtyFrom)
    .where('form', '=', STATE_FORM)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  const state = checkpoint ? (JSON.parse(checkpoint.state) as DeviceState) : UNHEARD;
  return { dirtyFrom, appends: row.appends, rules: row.rules, state };
}

/**
 * Between load and commit everything is pure; long ones let others have a turn. Undefined where something was appended
 * meanwhile: all of it would have to be done once more, so the rest is left, and a flood costs the others little.
 */
async function runAgain(
  store: Store,
  deviceId: number,
  start: Start,
  rules: Rules,
  now: number,
): Promise<Outcome | undefined> {
  const effects = noEffects();
  const checkpoints: Checkpoint[] = [];
  const line = { state: start.state, checkpointAt: start.state.at, sinceCheckpoint: 0 };
  let sliceEnds = performance.now() + SLICE_MS;
  for await (const inputs of inputsAfter(store, deviceId, start.state.at)) {
    for (const input of inputs) {
      judgeNext(line, input, rules, { effects, checkpoints });
      if (performance.now() > sliceEnds) {
        await new Promise((resolve) => setImmediate(resolve));
        sliceEnds = performance.now() + SLICE_MS;
      }
    }
    if (await isOvertaken(store, deviceId, start)) return undefined;
  }
  const { state } = advance(line.state, { kind: 'clock', at: now }, rules, effects);
  return { state, effects, checkpoints, sinceCheckpoint: line.sinceCheckpoint };
}

async function isOvertaken(store: Store, deviceId: number, { appends, rules }: Start): Promise<boolean> {
  const row = await store.query
    .selectFrom('deviceStates')
    .select(['appends', 'rules'])
    .where('deviceId', '=', deviceId)
    .executeTakeFirst();
  // A device that is gone is no matter of ours: whoever corrects finds out.
  return row !== undefined && (row.appends !== appends || row.rules !== rules);
}

/** The inputs of a device after a moment, in their order, a chunk at a time. */
export async function* inputsAfter(store: Store, deviceId: number, after: number): AsyncGenerator<Input[]> {
  let from = after;
  for (;;) {
    const points = await store.query
      .selectFrom('points')
      .select([
        'id',
        'timestamp',
        'locationLat',
        'locationLng',
        'speed',
        'course',
        'accuracy',
        'locationType',
        'batteryPct',
        'mode',
        'alertType',
        'hash',
      ])
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
    const said = messages.map(({ id, created }): Input => ({ kind: 'message', at: created, id }));
    yield [...fixInputs(whole), ...readings.map(readingInput), ...said].sort(inOrder);
    if (isLast) return;
    from = until;
  }
}

/** Undefined where something was appended meanwhile: then it is judged once more. */
async function correct(
  tx: Kysely<Tables>,
  store: Store,
  deviceId: number,
  start: Start,
  outcome: Outcome & { readonly rules: DeviceRules; readonly house: House },
  now: number,
): Promise<Corrected | undefined> {
  const line = await takeLine(tx, store.engine, deviceId);
  if (line === undefined) return { deviceId, added: [], retracted: [] };
  if (line.appends !== start.appends || line.rules !== start.rules) return undefined;
  const after = start.state.at;
  const { effects, state } = outcome;
  await correctJourneys(tx, deviceId, after, effects);
  await correctMarks(tx, deviceId, after, effects.implausible);
  const device = { deviceId, deviceName: line.deviceName, oldNewsMs: outcome.house.oldNewsMs };
  const corrected = await correctNotifications(tx, device, after, effects, now);
  await tx.deleteFrom('checkpoints').where('deviceId', '=', deviceId).where('at', '>', after).execute();
  await keepCheckpoints(tx, deviceId, outcome.checkpoints);
  const before = line.state;
  line.state = state;
  line.dirtyFrom = null;
  line.checkpointAt = outcome.checkpoints.at(-1)?.at ?? after;
  line.sinceCheckpoint = outcome.sinceCheckpoint;
  await keepLine(tx, store.engine, line);
  await noteZones(tx, line, outcome.rules);
  const { added, retracted } = corrected;
  const { rules, house } = outcome;
  if (added.length > 0 || retracted.length > 0)
    await postOutgoing(
      tx,
      store.engine,
      house,
      [{ deviceId, forwarders: rules.forwarders, notifications: added, retracted }],
      now,
    );
  const tellings = [...correctionTellings(corrected), ...motionTellings(deviceId, before, state)];
  await tell(tx, store.engine, tellings, now);
  return corrected;
}

/** Who was told of something that did not happen is told so; who was not told before is not told now. */
function correctionTellings({ deviceId, added, retracted }: Corrected): Telling[] {
  const wrong = retracted.filter(({ status }) => status === 'valid');
  return [
    ...wrong.map(
      ({ id, userId, triggerId, reason }): Telling => ({
        kind: 'retraction',
        deviceId,
        userId,
        event: { id, deviceId, triggerId, reason },
      }),
    ),
    ...notificationTellings(added),
  ];
}

async function correctMarks(
  tx: Kysely<Tables>,
  deviceId: number,
  after: number,
  implausible: readonly number[],
): Promise<void> {
  await tx
    .updateTable('points')
    .set({ judged: null })
    .where('deviceId', '=', deviceId)
    .where('timestamp', '>', after)
    .where('judged', '=', 'implausible')
    .execute();
  if (implausible.length > 0)
    await tx
      .updateTable('points')
      .set({ judged: 'implausible' })
      .where('id', 'in', [...implausible])
      .execute();
}

const RETRACTED = 'data that came later shows that it did not happen';

async function correctNotifications(
  tx: Kysely<Tables>,
  device: { deviceId: number; deviceName: string; oldNewsMs: number },
  after: number,
  { firings }: Effects,
  now: number,
): Promise<Corrected> {
  const { deviceId } = device;
  const olds = await tx
    .selectFrom('notifications')
    .select(['id', 'userId', 'triggerId', 'zoneId', 'kind', 'timestamp', 'status', 'late'])
    .where('deviceId', '=', deviceId)
    .where('decidedAt', '>', after)
    .where('ordered', '=', 1)
    .where('status', '!=', 'retracted')
    .execute();
  const keyOf = (triggerId: number, zoneId: number | null | undefined) => `${triggerId} ${zoneId ?? ''}`;
  const { same, added, gone } = align(
    olds.map((row) => ({ ...row, key: keyOf(row.triggerId, row.zoneId), at: row.timestamp })),
    firings.map((firing) => ({
      firing,
      key: keyOf(firing.rule.triggerId, firing.zoneId),
      kind: firing.kind,
      at: firing.at,
    })),
  );
  for (const { old, new: found } of same) {
    const content = contentOf(found.firing, { deviceName: device.deviceName, late: old.late !== 0 });
    await tx.updateTable('notifications').set(content).where('id', '=', old.id).execute();
  }
  for (const { id } of gone) {
    await tx
      .updateTable('notifications')
      .set({ status: 'retracted', reason: RETRACTED })
      .where('id', '=', id)
      .execute();
  }
  const recorded = await recordFirings(
    tx,
    added.map(({ firing }) => firing).sort((a, b) => a.at - b.at),
    { ...device, now, late: true },
  );
  for (const triggerId of new Set([...gone, ...same.map(({ old }) => old)].map((old) => old.triggerId)))
    await noteFired(tx, triggerId);
  return {
    deviceId,
    added: recorded,
    retracted: gone.map(({ id, userId, triggerId, status }) => ({ id, userId, triggerId, status, reason: RETRACTED })),
  };
}
