import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../../platform/log.ts';
import type { Report } from '../../../reports.ts';
import { onBothEngines } from '../../../testing/databases.ts';
import { effectsIn } from '../../../testing/effects.ts';
import { at, reportAt, watchedDevice } from '../../../testing/watched-device.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { startEngine } from '../engine.ts';

const WINDOW_MS = 30 * 86_400_000;
const STEP = 1 / 60;

const timeOf = ({ points }: Report) => points[0]!.timestamp as number;

onBothEngines<Tables>('a device that never pauses', { migrations: MIGRATIONS }, (open) => {
  const engineAt = (store: Store, minute: number) =>
    startEngine(store, { windowMs: WINDOW_MS, log: createLog('silent'), now: () => at(minute) });

  test('is evaluated while it still sends, and in the end as if it had sent in order', async () => {
    const store = await open();
    const deviceId = await watchedDevice(store);
    const engine = await engineAt(store, 200);
    const kinds = async () =>
      (await store.query.selectFrom('notifications').select('kind').where('status', '=', 'valid').execute()).map(
        ({ kind }) => kind,
      );

    // Two connections, of which one is always a while ahead of the other: what the other says is always late.
    let isSending = true;
    const said: Report[] = [];
    const connection = async (from: number) => {
      for (let minute = from; isSending && minute < 100; minute += STEP) {
        const report = reportAt(minute);
        await engine.intake.store(deviceId, report, at(200));
        said.push(report);
      }
    };
    const sending = Promise.all([connection(9), connection(9.5 + STEP / 2)]);
    // The loops above wait for nothing but their answers, so between two looks it has sent more.
    for (let found = await kinds(); !found.includes('exit'); found = await kinds()) {
      const before = said.length;
      while (said.length === before) await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok((await kinds()).includes('start'), 'it has set off');
    isSending = false;
    await sending;
    await engine.idle();
    await engine.stop();
    const found = await effectsIn(store);

    const quiet = await open();
    const other = await engineAt(quiet, 200);
    const quietId = await watchedDevice(quiet);
    for (const report of said.toSorted((a, b) => timeOf(a) - timeOf(b)))
      await other.intake.store(quietId, report, at(200));
    await other.idle();
    await other.stop();
    assert.deepEqual(await effectsIn(quiet), found);
  });
});
