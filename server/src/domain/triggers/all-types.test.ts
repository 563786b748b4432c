import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import {
  clockAt,
  depot,
  evaluateAll,
  fixAt,
  MINUTE,
  messageAt,
  readingAt,
  rulesOf,
  triggerRule,
} from '../../testing/evaluated-inputs.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { DEFAULT_POLICY } from '../delivery/sending-policy.ts';
import { deviceAccess } from '../devices/access.ts';
import type { FenceRule } from '../geofences/membership.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import type { Input, ProximityInput } from '../tracking/evaluate/inputs.ts';
import { Pipeline } from '../tracking/pipeline.ts';
import { RulesCache } from '../tracking/state/rules-cache.ts';
import type { FiredOnce } from '../tracking/timers/fire-once.ts';
import { evaluateMaintenance } from '../tracking/timers/maintenance.ts';
import { evaluateSilence } from '../tracking/timers/offline.ts';
import { evaluateExpiry } from '../tracking/timers/plan-expiry.ts';
import { evaluateProximity } from '../tracking/timers/proximity.ts';
import { requireUsable } from './checks.ts';
import { BY_TIMER } from './evaluator.ts';
import { triggerOperations } from './operations.ts';
import { TRIGGERS } from './registry.ts';
import { sentenceOf } from './sentence.ts';

/** Every type of trigger once: what fires it, what does not, and what it says. A type without a row does not compile. */

interface EvaluatedRow {
  readonly parameters?: Record<string, unknown>;
  readonly fences?: readonly FenceRule[];
  /** It fires exactly once. */
  readonly fires: readonly Input[];
  readonly silent: readonly Input[];
  readonly says: string;
}

const DAY_MS = 86_400_000;
const drive = Array.from({ length: 5 }, (_, minute) => fixAt(10 + minute, minute * 600, { speedKmh: 36 }));
const stand = Array.from({ length: 5 }, (_, minute) => fixAt(15 + minute, 2400, { speedKmh: 0 }));
const inAndOut = [fixAt(0, 0), fixAt(1, 500), fixAt(2, 900)];
const outAndIn = [fixAt(0, 900), fixAt(1, 600), fixAt(2, 0)];

/** A reading between bounds, one below them and one above. */
const level = (
  readingType: string,
  says: string,
  sent: (value: number) => unknown = (value) => value,
): EvaluatedRow => ({
  parameters: { min: 2, max: 8 },
  fires: [readingAt(0, readingType, sent(5)), readingAt(1, readingType, sent(9.25))],
  silent: [readingAt(0, readingType, sent(2)), readingAt(1, `not_${readingType}`, sent(20))],
  says,
});

const EVALUATED = {
  newLoc: {
    fires: [fixAt(0, 0)],
    silent: [fixAt(0, 0, { place: undefined })],
    says: 'Van 3 reported its position',
  },
  newWakeLoc: {
    fires: [fixAt(0, 0, { mode: 0 })],
    silent: [fixAt(0, 0, { mode: 1 }), fixAt(1, 0), fixAt(2, 0, { mode: 0, place: undefined })],
    says: 'Van 3 reported its position while awake or moving',
  },
  newAvailLoc: {
    fires: [fixAt(0, 0, { mode: 2 })],
    silent: [fixAt(0, 0, { mode: 0 }), fixAt(1, 0)],
    says: 'Van 3 reported its position in available mode',
  },
  newReading: {
    parameters: { readingType: 'door' },
    fires: [readingAt(0, 'door', true)],
    silent: [readingAt(0, 'temp', 20), fixAt(1, 0)],
    says: 'Van 3 reported door: true',
  },
  alarm: {
    parameters: { alarms: ['sos', 'harshBraking'] },
    fires: [readingAt(0, 'alarm', 'harshBraking')],
    silent: [readingAt(0, 'alarm', 'door'), readingAt(1, 'event', 'sos'), readingAt(2, 'alarm', 3), fixAt(3, 0)],
    says: 'Van 3 raised an alarm: harsh braking',
  },
  newMsg: { fires: [messageAt(0)], silent: [fixAt(0, 0)], says: 'Van 3 sent a message' },
  geofence: {
    parameters: { zoneType: 'outside' },
    fences: [depot({ exitAfterMs: 2 * MINUTE })],
    fires: [...inAndOut, clockAt(4)],
    silent: outAndIn,
    says: 'Van 3 has been outside Depot for 2 minutes',
  },
  geoEntry: { fences: [depot()], fires: outAndIn, silent: inAndOut, says: 'Van 3 entered Depot' },
  lowBat: {
    parameters: { threshold: 20 },
    fires: [fixAt(0, 0, { batteryPct: 21 }), fixAt(1, 0, { batteryPct: 20 })],
    silent: [fixAt(0, 0, { batteryPct: 21 }), fixAt(1, 0)],
    says: 'Battery of Van 3 is at 20 %',
  },
  speed: {
    parameters: { limit: 120 },
    fires: [fixAt(0, 0, { speedKmh: 119 }), fixAt(1, 2000, { speedKmh: 131 })],
    silent: [fixAt(0, 0, { speedKmh: 120 }), fixAt(1, 2000)],
    says: 'Van 3 exceeded 120 km/h: 131 km/h',
  },
  distance: {
    parameters: { limit: 2, days: [1] },
    fires: drive,
    silent: drive.slice(0, 4),
    says: 'Van 3 traveled more than 2 km in one day: 2.4 km',
  },
  temp: level('temp', 'Temperature of Van 3 is above 8 °C: 9.3 °C'),
  temp_bme: level('temp_bme', 'Temperature of the BME sensor of Van 3 is above 8 °C: 9.3 °C'),
  humidity: level('humidity', 'Humidity at Van 3 is above 8 %: 9.3 %'),
  pressure: level('pressure', 'Pressure at Van 3 is above 8 hPa: 9.3 hPa'),
  lightLevel: level('light', 'Light level at Van 3 is above 8 lx: 9.3 lx'),
  ultraLevel: level('ultra', 'Ultrasonic distance of Van 3 is above 8: 9.3', (distance) => ({ distance })),
  button: {
    fires: [fixAt(0, 0, { alerts: 8, place: undefined })],
    silent: [fixAt(0, 0, { alerts: 1 })],
    says: 'The button on Van 3 was pressed',
  },
  acc: { fires: [fixAt(0, 0, { alerts: 1 })], silent: [fixAt(0, 0, { alerts: 8 })], says: 'Van 3 was dropped' },
  alertMode: {
    parameters: { mask: 6 },
    fires: [fixAt(0, 0, { alerts: 4 + 8 })],
    silent: [fixAt(0, 0, { alerts: 8 })],
    says: 'Van 3 raised an alert: jamming',
  },
  extAccel: {
    parameters: { limit: 4 },
    fires: [readingAt(0, 'acc_maxForce', 3), readingAt(1, 'acc_maxForce', 5.2)],
    silent: [readingAt(0, 'acc_maxForce', 4), readingAt(1, 'acc_force', 9)],
    says: 'Force on Van 3 is above 4: 5.2',
  },
  motionStart: {
    parameters: { for: 120 },
    fires: [fixAt(9, 0), ...drive],
    silent: [fixAt(9, 0), ...drive.slice(0, 1)],
    says: 'Van 3 has been moving for 2 minutes',
  },
  motionStop: {
    fires: [fixAt(0, 0), ...drive, ...stand],
    silent: [fixAt(0, 0), ...drive],
    says: 'Van 3 stopped moving',
  },
  tow: {
    fires: [fixAt(0, 0), readingAt(0, 'ignition', false), fixAt(9, 250, { speedKmh: 20 })],
    silent: [fixAt(0, 0), readingAt(0, 'ignition', true), fixAt(9, 250, { speedKmh: 20 })],
    says: 'Van 3 is being towed: it moved 250 m with the ignition off',
  },
} satisfies Partial<Record<TriggerTypeName, EvaluatedRow>>;

describe('what an input of the device fires', () => {
  for (const [type, row] of Object.entries(EVALUATED) as [TriggerTypeName, EvaluatedRow][]) {
    test(type, () => {
      const { parameters } = requireUsable(type, row.parameters ?? {}, {});
      const rules = rulesOf(row.fences ?? [], [triggerRule(type, parameters)]);
      const said = (inputs: readonly Input[]) =>
        evaluateAll(inputs, rules).effects.firings.map((firing) => sentenceOf(firing, 'Van 3'));
      assert.deepEqual(said(row.fires), [row.says]);
      assert.deepEqual(said(row.silent), []);
    });
  }
});

test('a sentence says what lasted, which bound was passed, and what is not known', () => {
  const said = (type: TriggerTypeName, parameters: Record<string, unknown>, kind: string, facts: object) =>
    sentenceOf({ rule: triggerRule(type, parameters), kind, facts: { ...facts } }, 'Van 3');
  const crossed = (kind: string, enterAfter: number, interpolated = false, name: string | null = 'Depot') =>
    said('geofence', {}, kind, {
      crossType: kind,
      zone: { name },
      interpolated,
      thresholds: { enterAfter, exitAfter: 0 },
    });
  assert.equal(crossed('entry', 90), 'Van 3 has been inside Depot for 90 seconds');
  assert.equal(crossed('exit', 90), 'Van 3 left Depot');
  assert.equal(crossed('entry', 90, true), 'Van 3 entered Depot');
  assert.equal(crossed('entry', 0, false, null), 'Van 3 entered a geofence');
  assert.equal(
    said('speed', { for: 3600 }, 'over', { limit: 80, value: 91.27 }),
    'Van 3 exceeded 80 km/h for 60 minutes: 91.3 km/h',
  );
  assert.equal(said('temp', {}, 'over', { min: -18, value: -20 }), 'Temperature of Van 3 is below -18 °C: -20 °C');
  assert.equal(said('motionStop', { for: 86_400 * 3 }, 'stop', {}), 'Van 3 has not moved for 3 days');
  assert.equal(said('proximity', {}, 'near', { otherName: 'Crate', by: 'ble_seen', meters: 0 }), 'Van 3 is near Crate');
  assert.equal(said('alertMode', {}, 'alert', { alerts: 36 }), 'Van 3 raised an alert: jamming, ignition');
});

interface World {
  readonly store: Store;
  readonly deviceId: number;
  readonly otherId: number;
  report(deviceId: number, now: number, metresNorth: number): Promise<ProximityInput>;
}

interface TimerRow {
  parameters?(otherId: number): Record<string, unknown>;
  /** What the timer finds, first before it has reason to fire, then when it has. */
  silent(world: World): Promise<readonly FiredOnce[]>;
  fires(world: World): Promise<readonly FiredOnce[]>;
  readonly says: string;
}

const alwaysUp = (from: number, now: number) => now - from;
const expiry = (aheadMs: number, says: string): TimerRow => ({
  async silent({ store, deviceId }) {
    const expires = NOW + aheadMs + DAY_MS;
    await store.query.updateTable('devices').set({ expires }).where('id', '=', deviceId).execute();
    return evaluateExpiry(store, DEFAULT_POLICY, NOW);
  },
  fires: ({ store }) => evaluateExpiry(store, DEFAULT_POLICY, NOW + DAY_MS),
  says,
});

const BY_TIMERS: Record<Exclude<TriggerTypeName, keyof typeof EVALUATED>, TimerRow> = {
  offline: {
    parameters: () => ({ after: 600 }),
    async silent({ store, deviceId, report }) {
      await report(deviceId, NOW, 0);
      return evaluateSilence(store, DEFAULT_POLICY, alwaysUp, NOW + 9 * MINUTE);
    },
    fires: ({ store }) => evaluateSilence(store, DEFAULT_POLICY, alwaysUp, NOW + 10 * MINUTE),
    says: 'Van 3 has not reported for 10 minutes',
  },
  proximity: {
    parameters: (deviceId) => ({ deviceId }),
    async silent({ store, deviceId, otherId, report }) {
      await report(otherId, NOW, 0);
      return evaluateProximity(store, DEFAULT_POLICY, await report(deviceId, NOW, 60), NOW);
    },
    fires: async ({ store, deviceId, report }) =>
      evaluateProximity(store, DEFAULT_POLICY, await report(deviceId, NOW + MINUTE, 40), NOW + MINUTE),
    says: 'Van 3 is 40 m from Trailer',
  },
  expiresDaily: expiry(DAY_MS, 'The plan of Van 3 expires within a day'),
  expiresWeekly: expiry(7 * DAY_MS, 'The plan of Van 3 expires within a week'),
  maintenance: {
    async silent({ store, deviceId }) {
      const task = { deviceId, name: 'Inspection', hoursOf: 'driving', since: NOW, created: NOW } as const;
      const nothing = { note: null, odometer: null, everyKm: null, everyHours: null, everyMonths: null };
      const reminds = { remindKm: null, remindHours: null, remindDays: 3, dueOn: NOW + 5 * DAY_MS };
      await store.query
        .insertInto('maintenanceTasks')
        .values({ ...task, ...nothing, ...reminds })
        .execute();
      return evaluateMaintenance(store, DEFAULT_POLICY, NOW);
    },
    fires: ({ store }) => evaluateMaintenance(store, DEFAULT_POLICY, NOW + 2 * DAY_MS),
    says: 'Maintenance of Van 3 is due in 3 days: Inspection',
  },
};

onEitherEngine<Tables>('what a timer fires', { migrations: MIGRATIONS }, (open) => {
  for (const [type, row] of Object.entries(BY_TIMERS) as [TriggerTypeName, TimerRow][]) {
    test(type, async () => {
      const world = await worldWith(await open(), type, row);
      assert.deepEqual(await row.silent(world), []);
      const said = (await row.fires(world)).flatMap(({ notifications }) =>
        notifications.map(({ params }) => JSON.parse(params).message),
      );
      assert.deepEqual(said, [row.says]);
    });
  }
});

test('only what a timer fires listens to nothing', () => {
  const types = Object.keys(TRIGGERS) as TriggerTypeName[];
  const byTimer = types.filter((type) => TRIGGERS[type].evaluator === BY_TIMER);
  assert.deepEqual(byTimer.sort(), Object.keys(BY_TIMERS).sort());
  for (const type of types)
    assert.equal(Object.keys(TRIGGERS[type].evaluator).length === 0, byTimer.includes(type), type);
});

async function worldWith(store: Store, type: TriggerTypeName, row: TimerRow): Promise<World> {
  const owner = await makeUser(store, 'owner@example.com');
  const deviceId = await makeDevice(store, owner.userId, { name: 'Van 3' });
  const otherId = await makeDevice(store, owner.userId, { name: 'Trailer' });
  const body = { type, parameters: row.parameters?.(otherId) ?? {}, delivery: {}, muteFor: 0 };
  const operations = triggerOperations(store, deviceAccess(store), () => undefined);
  await operations.createNotificationTrigger(callOf(owner, { deviceId, body }) as never);
  const seen: ProximityInput[] = [];
  const intake = new Pipeline(store, new RulesCache(store, 30 * DAY_MS), {
    windowMs: 30 * DAY_MS,
    publish: ({ proximity }) => seen.push(...proximity),
    lateDataOf: () => {},
  });
  const report = async (id: number, now: number, metresNorth: number) => {
    const points = [{ timestamp: now, location: { lat: metresNorth / 111_195, lng: 0 } }];
    await intake.store(id, { points, readings: [], gatewayReadings: [], messages: [] }, now);
    return seen.at(-1)!;
  };
  return { store, deviceId, otherId, report };
}
