import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { onEitherEngine } from './harness/engines.ts';
import { makeStation, type Station } from './harness/station.ts';

onEitherEngine('health', (running) => {
  let station: Station;
  before(async () => {
    station = await makeStation(running.api);
  });

  test('warns of a proxy that is not trusted, in the log once, until it is configured', async () => {
    const { owner, admin } = station;
    const proxies = async () =>
      (await admin.get('/health')).body.problems.filter(({ kind }: { kind: string }) => kind === 'proxy');
    assert.deepEqual(await proxies(), []);
    for (let n = 0; n < 2; n++)
      await running.api('GET', '/api/devices', { token: owner.token, headers: { 'x-forwarded-for': '192.0.2.1' } });
    const [problem, ...others] = await proxies();
    assert.equal(others.length, 0);
    assert.equal(problem.isWarning, true);
    assert.match(problem.sentence, /127\.0\.0\.1.*TRACKWAY_TRUST_PROXY/);
    assert.equal(running.server.output().match(/untrusted proxy/g)?.length, 1);
  });

  test('shows what devices reported in the last minute, and who is there', async () => {
    const { owner, admin } = station;
    const device = await owner.make('/devices', { name: 'van' });
    const points = [1, 2, 3].map((lat) => ({
      lat,
      lng: 1,
      timestamp: new Date(Date.now() - lat * 1000).toISOString(),
    }));
    const report = await running.api('POST', '/ingest/reports', {
      headers: { authorization: device.deviceKey },
      body: { points },
    });
    assert.equal(report.status, 200, report.text);
    const { body: health } = await admin.get('/health');
    assert.equal(health.engine, running.engine);
    assert.equal(health.reportsPerMinute, 1);
    assert.equal(health.positionsPerMinute, 3);
    assert.equal(health.devices, 3);
    assert.equal(health.devicesOnline, 1);
    assert.equal(health.users, 3);
    assert.equal(health.streams, 0);
    assert.equal(health.ready, true);
    assert.deepEqual(
      health.problems.filter(({ isWarning }: { isWarning: boolean }) => !isWarning),
      [],
    );
    assert.ok(health.databaseBytes > 10_000 && health.memoryBytes > 10_000_000);
    assert.ok(health.uptime >= 0 && Date.parse(health.startedAt) <= Date.now());
  });

  test('is given to Prometheus too, in numbers', async () => {
    const { status, text } = await running.api('GET', '/metrics');
    assert.equal(status, 200);
    const numberOf = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
    assert.equal(numberOf('trackway_ready'), 1);
    assert.equal(numberOf('trackway_store_problem{kind="damaged"}'), 0);
    assert.equal(numberOf('trackway_store_errors_total{kind="full"}'), 0);
    assert.equal(numberOf('trackway_outbox_rows{state="queued"}'), 0);
    assert.equal(numberOf('trackway_queue_length{queue="intake"}'), 0);
    assert.equal(numberOf('trackway_replays_waiting'), 0);
    assert.ok(numberOf('trackway_database_bytes') > 10_000);
    assert.ok(numberOf('trackway_last_commit_age_seconds') >= 0);
    if (running.engine === 'sqlite') assert.ok(numberOf('trackway_disk_total_bytes') > 1_000_000);
  });

  test('is for admins alone', async () => {
    assert.equal((await station.owner.get('/health')).status, 403);
  });
});
