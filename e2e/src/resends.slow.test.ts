import assert from 'node:assert/strict';
import test from 'node:test';
import { MIGRATIONS } from '../../server/src/domain/schema/migrations.ts';
import { onBothEngines } from '../../server/src/testing/databases.ts';
import { isEvaluated } from '../../server/src/testing/effects.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { lookInto } from '../../server/src/testing/place.ts';
import { apiOf } from './harness/api.ts';
import { clientOf } from './harness/checked-client.ts';
import { adminOf } from './harness/people.ts';
import { startServer } from './harness/server-process.ts';

/**
 * Kills the server under load. Devices send again what was not acknowledged: messages, values without a time, items that
 * cannot be true. All of it must be stored once, with its effects. More rounds: TRACKWAY_CRASH_ROUNDS=100.
 */

const ROUNDS = Number(process.env.TRACKWAY_CRASH_ROUNDS ?? 3);
const DEVICES = 8;
const REPORTS_PER_ROUND = 60;

onBothEngines('what was not acknowledged, since the server was killed,', { migrations: [] }, (open) => {
  test('and is sent again, is stored once', async () => {
    const place = await open.migratedPlace(MIGRATIONS);
    const first = await startServer(open.storeKind, place);
    const api = apiOf(first.address);
    const client = clientOf(api, (await adminOf(api)).token);
    const keys: string[] = [];
    for (let device = 0; device < DEVICES; device++) {
      const { id, deviceKey } = await client.createDevice({ body: { name: `Device ${device}` } });
      keys.push(deviceKey!);
      const parameters = { endpoint: 'https://example.com/hook' };
      await client.createNotificationTrigger({ id, body: { type: 'newMsg', delivery: { http: true }, parameters } });
    }
    api.close();
    await first.stop();

    const next = keys.map(() => 0);
    let acknowledged = 0;
    for (let round = 0; round <= ROUNDS; round++) {
      const server = await startServer(open.storeKind, place);
      const due = acknowledged + REPORTS_PER_ROUND;
      const isLast = round === ROUNDS;
      let killed: Promise<void> | undefined;
      await Promise.all(
        keys.map(async (key, device) => {
          do {
            if (!(await send(server.address, key, `${device} ${next[device]}`))) return;
            next[device]!++;
            acknowledged++;
            if (!isLast && acknowledged >= due) killed ??= server.kill();
          } while (isLast ? acknowledged < due : killed === undefined);
        }),
      );
      await killed;
      if (!isLast) continue;
      await eventually('everything is evaluated', () => lookInto(place, isEvaluated));
      await server.stop();
    }

    const said = keys.flatMap((_, device) => Array.from({ length: next[device]! }, (_, n) => `${device} ${n}`)).sort();
    await lookInto(place, async ({ query }) => {
      const messages = await query.selectFrom('messages').select('message').execute();
      assert.deepEqual(messages.map(({ message }) => message).sort(), said);
      const readings = await query.selectFrom('gatewayReadings').select('value').execute();
      assert.deepEqual(readings.map(({ value }) => JSON.parse(value)).sort(), said);
      const quarantined = await query.selectFrom('quarantine').select('report').execute();
      assert.deepEqual(quarantined.map(({ report }) => JSON.parse(report).correlationId).sort(), said);
      const notifications = await query.selectFrom('notifications').select('id').execute();
      const outbox = await query.selectFrom('outbox').select('id').execute();
      assert.deepEqual([notifications.length, outbox.length], [said.length, said.length]);
    });
    console.log(`${ROUNDS} kills: ${said.length} messages, 0 doubled`);
  });
});

/** Whether it was acknowledged. */
async function send(address: string, key: string, text: string): Promise<boolean> {
  const body = JSON.stringify({
    messages: [{ message: text }],
    readings: [{ type: 'note', value: text }],
    points: [{ location: { lat: 99, lng: 0 }, correlationId: text }],
  });
  const headers = { authorization: key, 'content-type': 'application/json' };
  const answer = await fetch(`${address}/ingest/reports`, { method: 'POST', headers, body }).catch(() => undefined);
  const said = await answer?.text().catch(() => undefined);
  return answer?.status === 200 && said !== undefined;
}
