import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { onPostgres } from '../../../server/src/testing/databases.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { apiOf } from '../harness/api.ts';
import { startNodes } from '../harness/nodes.ts';
import { adminOf } from '../harness/people.ts';
import { startReceiver } from '../harness/receiver.ts';
import { voiceOf } from '../harness/station.ts';
import { startPair } from './postgres-pair.ts';

const DEVICES = 6;
/** So many reports are acknowledged before the primary is killed, and again after the standby has taken over. */
const ENOUGH = 30;
const START = Date.now() - 3_600_000;

interface Reporting {
  readonly id: number;
  readonly key: string;
  /** Numbers of the reports that a node answered with success. */
  readonly acknowledged: number[];
}

async function answerOf<T>(url: string, sql: string): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows[0] as T;
  } finally {
    await client.end();
  }
}

onPostgres('a primary with a synchronous standby', { migrations: [] }, () => {
  test('is killed under load: the nodes follow to the standby, and nothing that was answered is lost', async (t) => {
    const pair = await startPair(t);
    const receiver = await startReceiver();
    t.after(() => receiver.close());
    await eventually(
      'the standby is synchronous',
      () => answerOf<{ state?: string }>(pair.primary, 'SELECT MAX(sync_state) AS state FROM pg_stat_replication'),
      ({ state }) => state === 'sync',
    );
    const nodes = await startNodes(t, `${pair.primary},${pair.standby}`, [{}, {}]);
    const apis = nodes.map(({ address }) => apiOf(address));
    t.after(async () => {
      for (const api of apis) api.close();
    });
    const { client } = voiceOf(apis[0]!, await adminOf(apis[0]!));
    const devices: Reporting[] = [];
    for (let index = 0; index < DEVICES; index++) {
      const { id, deviceKey } = await client.createDevice({ body: { name: `van ${index}` } });
      const parameters = { endpoint: receiver.address };
      await client.createNotificationTrigger({ id, body: { type: 'newMsg', parameters, delivery: { http: true } } });
      devices.push({ id, key: deviceKey!, acknowledged: [] });
    }
    const acknowledged = () => devices.reduce((sum, one) => sum + one.acknowledged.length, 0);

    let isDone = false;
    /** As a device does: a report that was not answered is sent again, to whichever node. */
    const drive = async ({ key, acknowledged: done }: Reporting, index: number) => {
      for (let number = 0, tries = 0; !isDone; tries++) {
        const timestamp = START + number * 1000;
        const body = { points: [{ timestamp, lat: 50, lng: 8 }], messages: [{ timestamp, message: `m${number}` }] };
        const answer = await fetch(`${nodes[(index + tries) % nodes.length]!.address}/ingest/reports`, {
          method: 'POST',
          headers: { authorization: key, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }).catch(() => undefined);
        if (answer?.ok) done.push(number++);
        else await pause(50);
        await answer?.arrayBuffer().catch(() => {});
      }
    };
    const driving = Promise.all(devices.map(drive));
    try {
      await eventually('reports are acknowledged', () => acknowledged() >= ENOUGH);
      process.kill(pair.primaryPid, 'SIGKILL');
      await answerOf(pair.standby, 'SELECT pg_promote()');
      const before = acknowledged();
      await eventually('reports are acknowledged again', () => acknowledged() >= before + ENOUGH);
    } finally {
      isDone = true;
      await driving;
    }
    for (const node of nodes) assert.ok(node.isRunning(), node.output());
    for (const { address } of nodes)
      await eventually('each node is ready', async () => (await fetch(`${address}/readyz`)).status === 200);

    for (const { id, acknowledged: numbers } of devices) {
      const stored = await client.listPoints({ id, filter: { order: 'id', limit: 10_000 } });
      const times = stored.map(({ timestamp }) => (Date.parse(timestamp) - START) / 1000);
      assert.equal(new Set(times).size, times.length, 'each position once');
      for (const number of numbers) assert.ok(times.includes(number), `position ${number} of device ${id}`);
    }
    // One that was begun at the end may have been stored without an answer.
    await eventually('the outbox goes on', () => receiver.messages.size >= acknowledged());
    const { state } = await answerOf<{ state: boolean }>(pair.standby, 'SELECT pg_is_in_recovery() AS state');
    assert.equal(state, false);
  });
});
