import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Caller } from '../../calls.ts';
import type { Report } from '../../reports.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser } from '../../testing/people.ts';
import { deviceAccess } from '../devices/access.ts';
import { forgetHistory } from '../devices/claim.ts';
import { abilitiesOf } from '../devices/operations.ts';
import { forgetSlice } from '../history/forget-device.ts';
import { insertReadings } from '../positions/pack-readings.ts';
import { DAY_MS } from '../positions/segments.ts';
import type { StoredReadingRow } from '../positions/stored-reading.ts';
import { fleetReportOperations } from '../reports/operations.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { nearbyOperations } from '../tracking/api/fleet.ts';
import { readingOperations, readingTouched } from '../tracking/api/readings.ts';
import { Pipeline } from '../tracking/pipeline.ts';
import { readSightings } from '../tracking/places/gateway-places.ts';
import { someInputs } from '../tracking/replay/stored-inputs.ts';
import { sightedByGateway } from '../tracking/state/place-due.ts';
import { RulesCache } from '../tracking/state/rules-cache.ts';
import { positionPacker } from '../tracking/timers/pack-positions.ts';
import { driverOperations } from '../vehicles/driver-operations.ts';

/** Answers about readings are the same, whether they are packed or not. */

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at as clients see them.
type Answer = any;

const START = Date.parse('2026-05-04T00:00:00Z');
const NOW = START + 12 * DAY_MS;
const STEP_MS = DAY_MS / 40;
const COUNT = 320;
const WINDOW_MS = 400 * DAY_MS;
const iso = (step: number) => new Date(START + step * STEP_MS).toISOString();
const TYPES = ['temp', 'ble_seen', 'driver_id', 'button'] as const;

const FILTERS: readonly object[] = [
  {},
  { limit: 7 },
  { limit: 7, skip: 110 },
  { order: 'timestamp DESC', limit: 5 },
  { order: 'timestamp DESC', limit: 60, skip: 40 },
  { order: 'timestamp ASC', limit: 20, skip: 20 },
  { order: 'id DESC', limit: 30 },
  { order: ['rssi DESC', 'timestamp ASC'], limit: 25 },
  { where: { timestamp: { between: [iso(40), iso(160)] } } },
  { where: { timestamp: { gt: iso(140) }, rssi: { gt: -60 } }, order: 'timestamp DESC' },
  { where: { type: 'temp' }, fields: { timestamp: true, value: true } },
  { where: { type: { inq: ['button', 'ble_seen'] }, value: 'on' } },
  { where: { value: { gt: 2 } }, limit: 40 },
  { where: { 'meta.battery': 7 } },
  { where: { or: [{ correlationId: { like: 'c-1%' } }, { sensorDeviceId: null }] }, limit: 50 },
  { where: { id: { inq: [1001, 1100, 1250] } } },
  { where: { type: 'nothing' } },
];

onEitherEngine<Tables>('packed readings in the API', { migrations: MIGRATIONS }, (open) => {
  let store: Store;
  let me: Caller;
  let [gateway, tag, van] = [0, 0, 0];

  /** Sightings of a tag and of unknown devices by gateways, and readings of a van about itself. */
  function readingAt(index: number): StoredReadingRow {
    const timestamp = START + (index - (index % 17 === 0 ? 20 : 0) - (index % 23 === 0 ? 1 : 0)) * STEP_MS;
    const type = TYPES[index % 4]!;
    const isOwn = index % 3 === 0 || type === 'driver_id';
    const value = {
      temp: 20 + Math.sin(index),
      ble_seen: -50,
      driver_id: 'ab12',
      button: index % 2 ? 'on' : { n: index },
    };
    return {
      id: index + 1000,
      gatewayId: isOwn ? null : gateway,
      deviceId: isOwn ? van : index % 5 === 0 ? null : tag,
      timestamp,
      created: timestamp + 2000,
      type,
      value: JSON.stringify(value[type]),
      rssi: index % 7 === 0 ? null : -40 - 50 * Math.abs(Math.cos(index)),
      meta: index % 9 === 0 ? JSON.stringify({ battery: index % 10 }) : null,
      relatedId: null,
      correlationId: index % 2 === 0 ? `c-${index % 30}` : null,
      sensorDeviceId: isOwn ? null : index % 5 === 0 ? 'aa:bb:cc:dd:ee:ff' : '11:22:33:44:55:66',
      datapointId: null,
      hash: null,
    };
  }

  const said = (answer: Answer) => (typeof answer?.text === 'string' ? answer.text : JSON.stringify(answer));
  const api = () => readingOperations(store, deviceAccess(store), readingTouched, () => {});
  const pack = (before: number) => positionPacker(store)(before, () => true);
  const rowCount = async () =>
    Number(
      (
        await store.query
          .selectFrom('gatewayReadings')
          .select(({ fn }) => fn.countAll().as('rows'))
          .executeTakeFirstOrThrow()
      ).rows,
    );

  async function listed(): Promise<string[]> {
    const all: string[] = [];
    const operations = api();
    for (const [deviceId, list, count] of [
      [gateway, operations.listGatewayReadings, operations.countGatewayReadings],
      [tag, operations.listReadings, operations.countReadings],
      [van, operations.listReadings, operations.countReadings],
    ] as const)
      for (const filter of FILTERS) {
        const query = [['filter', JSON.stringify(filter)]] as const;
        const listed = { isCounted: true };
        const answer = said(await list(callOf(me, { deviceId, now: NOW, query, listed } as never) as never));
        const where = JSON.stringify((filter as { where?: object }).where ?? {});
        const counted = await count(callOf(me, { deviceId, now: NOW, query: [['where', where]] }) as never);
        const plain = said(await list(callOf(me, { deviceId, now: NOW, query }) as never));
        all.push(JSON.stringify({ filter, answer, listed, counted, plain }));
      }
    for (const [deviceId, list] of [
      [gateway, operations.listGatewayReadings],
      [van, operations.listReadings],
    ] as const)
      all.push(said(await list(callOf(me, { deviceId, now: NOW }) as never)));
    for (const { id, gatewayId, deviceId } of [1001, 1002, 1100, 1250].map((id) => readingAt(id - 1000))) {
      if (gatewayId)
        all.push(said(await operations.getGatewayReading(callOf(me, { deviceId: gateway, key: id }) as never)));
      if (deviceId) all.push(said(await operations.getReading(callOf(me, { deviceId, key: id }) as never)));
    }
    return all;
  }

  async function others(): Promise<string[]> {
    const nearby = nearbyOperations(store);
    const dateRange = [START, NOW];
    const calls = [{ dateRange }, { correlationId: 'c-14' }, { dateRange, correlationId: 'c-2' }];
    const nearbyAnswers: string[] = [];
    for (const parameters of calls)
      nearbyAnswers.push(
        said(await nearby.nearbyDevices(callOf(me, { deviceId: gateway, now: NOW, parameters } as never) as never)),
      );
    for (const nearbyId of ['aa:bb:cc:dd:ee:ff', String(tag), '11:22:33:44:55:66'])
      nearbyAnswers.push(
        said(
          await nearby.nearbyDeviceData(
            callOf(me, { deviceId: gateway, now: NOW, parameters: { nearbyId, dateRange } } as never) as never,
          ),
        ),
      );
    const { fleetReport } = fleetReportOperations(store) as Answer;
    const body = { kind: 'readings', deviceIds: [tag, van], from: START, to: NOW, tz: 'Europe/Berlin' };
    const range = { from: new Date(START).toISOString(), to: new Date(NOW).toISOString() };
    const shifts = await driverOperations(store).listShifts(
      callOf(me, { deviceId: van, now: NOW, parameters: range } as never) as never,
    );
    const inputs = [gateway, tag, van].map(
      async (deviceId) => (await someInputs(store.query, deviceId, 0, 500)).inputs,
    );
    const span = { from: START, to: NOW };
    const place = await sightedByGateway(store.query, gateway, { ...span, dueAt: 0 });
    return [
      ...nearbyAnswers,
      said(await fleetReport(callOf(me, { body, now: NOW } as never))),
      said(shifts),
      JSON.stringify(await Promise.all(inputs)),
      JSON.stringify(place.sort((a, b) => a.at - b.at)),
      JSON.stringify(await readSightings(store.query, tag, span)),
      said(await abilitiesOf(store)(callOf(me, { deviceId: van }) as never)),
      said(await abilitiesOf(store)(callOf(me, { deviceId: gateway }) as never)),
    ];
  }

  before(async () => {
    store = await open();
    me = await makeUser(store, 'me@example.com');
    gateway = await makeDevice(store, me.userId, { name: 'Gateway' });
    tag = await makeDevice(store, me.userId, { name: 'Tag' });
    van = await makeDevice(store, me.userId, { name: 'Van' });
    await driverOperations(store).createDriver(callOf(me, { body: { name: 'Jane', tags: ['AB12'] } }) as never);
    const rows = Array.from({ length: COUNT }, (_, index) => readingAt(index));
    await store.transaction((tx) => insertReadings(tx, rows));
    const meta = JSON.stringify({ place: { lat: 46.5, lng: 11.25 } });
    await store.query.updateTable('devices').set({ meta }).where('id', '=', gateway).execute();
  });

  test('lists, counts, single readings, nearby things, reports, shifts and replays are the same when packed', async () => {
    const [plain, more] = [await listed(), await others()];
    assert.deepEqual(
      more.flatMap((answer, index) => (answer === '[]' ? [index] : [])),
      [],
    );
    for (const days of [3, 20]) {
      assert.ok((await pack(START + days * DAY_MS)) > 0);
      const rows = await rowCount();
      assert.ok(days === 3 ? rows > 0 && rows < COUNT : rows === 0, `${rows} rows are left`);
      for (const [index, answer] of (await listed()).entries()) assert.equal(answer, plain[index]);
      for (const [index, answer] of (await others()).entries()) assert.equal(answer, more[index], `${index}`);
    }
  });

  test('what is changed and deleted by hand is found packed, and one that was reported before is known', async () => {
    const operations = api();
    const key = 1002;
    const { gatewayId } = readingAt(2);
    assert.equal(gatewayId, null);
    await operations.updateReading(callOf(me, { deviceId: van, key, now: NOW, body: { value: 'new' } }) as never);
    const get = async (id: number) =>
      JSON.parse(said(await operations.getReading(callOf(me, { deviceId: van, key: id }) as never)));
    assert.equal((await get(key)).value, 'new');
    /** By the gateway that it names now, or by none. */
    const nameGateway = async (gatewayId: number | null) => {
      const body = { gatewayId };
      const changed = await operations.updateReading(callOf(me, { deviceId: van, key, now: NOW, body }) as never);
      assert.equal((changed as Answer).gatewayId, gatewayId);
      assert.deepEqual([(await get(key)).value, (await get(key)).gatewayId], ['new', gatewayId]);
    };
    for (const gatewayId of [gateway, tag, null, gateway]) await nameGateway(gatewayId);
    const byGateway = callOf(me, { deviceId: gateway, key });
    assert.equal(JSON.parse(said(await operations.getGatewayReading(byGateway as never))).value, 'new');
    await nameGateway(null);
    await assert.rejects(Promise.resolve(operations.getGatewayReading(byGateway as never)));
    const count = async () =>
      ((await operations.countReadings(callOf(me, { deviceId: van, now: NOW }) as never)) as Answer).count;
    const before = await count();
    await operations.deleteReading(callOf(me, { deviceId: van, key: 1003, now: NOW }) as never);
    assert.equal(await count(), before - 1);
    await assert.rejects(get(1003));

    const intake = new Pipeline(store, new RulesCache(store, WINDOW_MS), {
      windowMs: WINDOW_MS,
      publish: () => {},
      lateDataOf: () => {},
    });
    const report: Report = {
      points: [],
      readings: [{ timestamp: START + 5, type: 'temp', value: { b: 1.5, a: ['x'] } }],
      gatewayReadings: [],
      messages: [],
    };
    await intake.store(van, report, START + DAY_MS);
    await store.query.updateTable('deviceStates').set({ lateFrom: null, replayFrom: null, hasBacklog: 0 }).execute();
    assert.ok((await pack(START + 20 * DAY_MS)) > 0);
    assert.equal(await rowCount(), 0);
    await intake.store(
      van,
      { ...report, readings: [...report.readings, { timestamp: START + 6, type: 'temp', value: 1 }] },
      NOW,
    );
    assert.equal(await count(), before + 1, 'the same reading once, and one that came late');
  });

  test('old readings are deleted, and the newest of each type stays, packed or not', async () => {
    await store.query
      .updateTable('deviceStates')
      .set({ lateFrom: null, replayFrom: null, importFrom: null, hasBacklog: 0 })
      .execute();
    const cut = START + 5 * DAY_MS;
    const all = async () => {
      const call = callOf(me, { deviceId: van, now: NOW, query: [['filter', JSON.stringify({ limit: 1000 })]] });
      return JSON.parse(said(await api().listReadings(call as never))) as Answer[];
    };
    const old = await store.transaction(async (tx) => {
      const row = { ...readingAt(0), id: 9000, type: 'once', timestamp: START + 7, created: START + 7 };
      await insertReadings(tx, [row]);
      return row.id;
    });
    await pack(START + 20 * DAY_MS);
    const kept = (await all()).filter(({ id, timestamp }) => id === old || Date.parse(timestamp) >= cut);
    const forget = store.work(forgetSlice, {});
    const cuts = { readings: cut } as never;
    for (let rounds = 0; (await forget({ deviceId: van, cuts })).next === 'more'; rounds += 1) assert.ok(rounds < 100);
    assert.deepEqual(await all(), kept);
  });

  test('all readings of a gateway are deleted with it, and nothing of it is left when it is claimed', async () => {
    const stranger = await makeUser(store, 'stranger@example.com');
    const theirs = await makeDevice(store, stranger.userId, { name: 'Theirs' });
    const foreign = { ...readingAt(1), id: 9100, gatewayId: gateway, deviceId: theirs };
    await store.transaction((tx) => insertReadings(tx, [foreign]));
    await pack(START + 20 * DAY_MS);
    await api().deleteGatewayReadings(callOf(me, { deviceId: gateway, now: NOW }) as never);
    const left = async () =>
      JSON.parse(said(await api().listGatewayReadings(callOf(me, { deviceId: gateway, now: NOW }) as never)));
    assert.deepEqual(
      (await left()).map(({ id, deviceId }: Answer) => [id, deviceId]),
      [[9100, theirs]],
      'readings of others stay',
    );
    await store.transaction((tx) => forgetHistory(tx, theirs, NOW));
    assert.deepEqual(
      (await left()).map(({ id, deviceId }: Answer) => [id, deviceId]),
      [[9100, null]],
    );
    await store.transaction((tx) => forgetHistory(tx, gateway, NOW));
    assert.deepEqual(await left(), []);

    const own = { ...readingAt(0), id: 9200, gatewayId: null, deviceId: theirs };
    await store.transaction((tx) => insertReadings(tx, [own]));
    await store.transaction((tx) => forgetHistory(tx, theirs, NOW));
    const row = await store.query.selectFrom('gatewayReadings').select('id').where('id', '=', 9200).executeTakeFirst();
    assert.equal(row, undefined, 'its readings about itself belong only to it');
  });
});
