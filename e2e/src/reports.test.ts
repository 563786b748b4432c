import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { eventually } from '../../server/src/testing/eventually.ts';
import { onEitherEngine } from './harness/engines.ts';
import { makePerson } from './harness/people.ts';
import { makeStation, type Station, type Voice, voiceOf } from './harness/station.ts';

const MINUTE_MS = 60_000;
const M = 1 / 111_195;

/** Ten minutes parked, ten kilometres in ten minutes, twenty minutes parked. The ignition is on from minute 8 to 20. */
function dayOf(startAt: number) {
  const at = (minute: number) => new Date(startAt + minute * MINUTE_MS).toISOString();
  const minutes = [0, 5, 10, ...Array.from({ length: 30 }, (_, index) => 11 + index)];
  const points = minutes.map((minute) => {
    const km = Math.min(10, Math.max(0, minute - 10));
    const speed = minute > 10 && minute <= 20 ? 60 : 0;
    return { timestamp: at(minute), location: { lat: km * 1000 * M, lng: 0 }, speed, accuracy: 5 };
  });
  const readings = [
    { timestamp: at(8), type: 'ignition', value: true },
    { timestamp: at(20), type: 'ignition', value: 'off' },
  ];
  return { points, readings, dateRange: [at(0), at(40)] };
}

onEitherEngine('reports about vehicles', (running) => {
  let station: Station;
  let viewer: Voice;
  const startAt = Date.now() - 180 * MINUTE_MS;
  const day = dayOf(startAt);
  const device = (serial: string) => station.owner.client.createDevice({ body: { name: serial, serial } });
  const report = async (token: string, body: unknown) => {
    const answer = await running.api('POST', '/ingest/reports', { token, body });
    assert.equal(answer.status, 200, answer.text);
  };
  const summary = async (body: object, voice = station.owner) => voice.post('/reports/vehicle-summary', body);
  const timeline = async (id: number | string, type: string, query = '', { token } = station.owner) =>
    running.api('GET', `/v2/devices/${id}/timeline/${type}${query}`, { token });

  before(async () => {
    station = await makeStation(running.api);
    viewer = voiceOf(running.api, await makePerson(running.api, station.admin, 'viewer'));
  });

  test('a known day gives its sums to the second, whatever order it came in', async () => {
    const { owner, other } = station;
    const [one, two] = [await device('in order'), await device('backwards')];
    await report(one.deviceKey!, { points: day.points, readings: day.readings });
    for (const part of [day.points.slice(20), day.points.slice(8, 20), day.points.slice(0, 8)])
      await report(two.deviceKey!, { points: part });
    await report(two.deviceKey!, { readings: day.readings.toReversed() });
    const zone = await owner.make('/users/me/geofences', {
      name: 'Depot',
      type: 'work',
      center: { lat: 0, lng: 0 },
      radius: 300,
    });
    const { body } = await summary({ deviceId: one.id, dateRange: day.dateRange });
    const { movingTime, idleTime, offTimes, distances, ignitionTime, workTime, numTrips, totalTime } = body;
    assert.deepEqual(movingTime, { total: 600, inWork: 30, inMaintenance: 0 });
    assert.deepEqual(idleTime, { total: 120, inWork: 120, inMaintenance: 0 });
    assert.deepEqual(offTimes, { total: 1680, inWork: 480, inMaintenance: 0 });
    assert.deepEqual([ignitionTime, workTime, numTrips, totalTime, body.known.ignition], [720, 630, 1, 600, true]);
    assert.deepEqual([Math.round(distances.total), Math.round(distances.inWork)], [10_000, 500]);
    await eventually(
      'the other order is evaluated',
      async () => (await summary({ deviceId: two.id, dateRange: day.dateRange })).body,
      (seen) => JSON.stringify({ ...seen, deviceId: 0 }) === JSON.stringify({ ...body, deviceId: 0 }),
    );

    const ids = { workZoneIds: [zone.id], workHours: { from: '00:00', to: '23:59' }, tz: 'Europe/Berlin' };
    const form = new URLSearchParams({
      deviceId: `${one.id}.0`,
      dateRange: JSON.stringify([startAt, startAt + 15 * MINUTE_MS]),
      parameters: JSON.stringify(ids),
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const asked = { token: owner.token, raw: form.toString(), headers };
    const cut = (await running.api('POST', '/api/reports/vehicle-summary', asked)).body;
    assert.deepEqual([cut.movingTime.total, Math.round(cut.totalDist), cut.numTrips], [300, 5000, 1]);
    const activity = (await running.api('POST', '/api/reports/activity', asked)).body;
    assert.deepEqual(
      activity.log.map(({ state, time }: { state: string; time: number }) => [state, time]),
      [
        ['off', 480],
        ['idle', 120],
        ['movingWithIgnitionOn', 300],
      ],
    );
    assert.equal(activity.movingWithIgnitionOn.time, 300);
    const foreign = await other.make('/users/me/geofences', { name: 'theirs' });
    const refused = await summary({
      deviceId: one.id,
      dateRange: day.dateRange,
      parameters: { workZoneIds: [foreign.id] },
    });
    assert.equal(refused.status, 422);
    assert.equal((await summary({ dateRange: day.dateRange })).status, 422);
    assert.equal((await summary({ deviceId: one.id })).status, 422);
    assert.equal((await summary({ deviceId: one.id, dateRange: day.dateRange }, other)).status, 404);
    const nothing = (await summary({ deviceId: one.id, dateRange: ['2020-01-01', '2020-12-31'] })).body;
    assert.deepEqual([nothing.numTrips, nothing.avgDist, nothing.ignitionTime], [0, null, null]);
    assert.equal(nothing.from, '2020-10-02T00:00:00.000Z', 'the latest 90 days');
  });

  test('the timeline shows what happened, to users who may see it', async () => {
    const { owner, admin, other } = station;
    const { id, deviceKey } = await device('told');
    await report(deviceKey!, { points: day.points.slice(0, 1) });
    await report(deviceKey!, { points: day.points.slice(1, 2) });
    const share = await owner.make(`/devices/${id}/shares`, { email: viewer.email });
    await owner.put(`/devices/${id}`, { iccid: '8988303000001234567' });
    await owner.post(`/devices/${id}/key`);
    await owner.delete(`/devices/${id}/shares/${share.id}`);
    await owner.make(`/devices/${id}/messages`, { message: 'x'.repeat(300) });
    await owner.make(`/devices/${id}/shares`, { email: viewer.email });
    const typesOf = async (type: string) =>
      (await timeline(id, type)).body.data.map((entry: { type: string }) => entry.type);
    assert.deepEqual(await typesOf('activation'), ['activation/created', 'activation/firstSeen']);
    assert.deepEqual(await typesOf('pairing'), [
      'pairing/shared',
      'pairing/keyChanged',
      'pairing/unshared',
      'pairing/shared',
    ]);
    const [sim] = (await timeline(id, 'sim')).body.data;
    assert.deepEqual([sim.type, sim.meta], ['sim/iccid', { to: '…4567' }]);
    const [message] = (await timeline('serial:told', 'devicemessage')).body.data;
    assert.deepEqual([message.type, message.meta.text.length], ['devicemessage/down/created', 200]);
    const [position] = (await timeline(id, 'datapoint')).body.data;
    assert.deepEqual([position.type, position.at], ['datapoint/gps', day.points[0]!.timestamp]);
    assert.equal((await timeline(id, 'pairing', '', viewer)).status, 403);
    assert.equal((await timeline(id, 'backendnote')).status, 403);
    assert.equal((await timeline(id, 'backendnote', '', admin)).status, 200);
    assert.equal((await timeline(id, 'datapoint', '', other)).status, 404);
    assert.equal((await timeline(id, 'weather')).status, 400);
    assert.equal((await timeline(id, 'plans', '?since=2026-02-01&until=2026-01-01')).status, 400);
  });

  test('who polls while reports come sees each position once', async () => {
    const { id, deviceKey } = await device('polled');
    const seen: string[] = [];
    let since = new Date(startAt).toISOString();
    const poll = async () => {
      const { body } = await timeline(id, 'datapoint', `?since=${since}`);
      since = body.until;
      seen.push(...body.data.map((entry: { at: string }) => entry.at));
    };
    let isDone = false;
    const reporting = (async () => {
      for (const points of [day.points.slice(20), day.points.slice(0, 10), day.points.slice(10, 20)])
        await Promise.all(points.map((point) => report(deviceKey!, { points: [point] })));
      isDone = true;
    })();
    while (!isDone) await poll();
    await reporting;
    await poll();
    assert.deepEqual(seen.toSorted(), day.points.map(({ timestamp }) => timestamp).toSorted());
  });
});
