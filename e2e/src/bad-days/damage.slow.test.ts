import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Random } from '@trackway/simulator/random.ts';
import { type DamageWay, LOG_DAMAGES, PAGE_DAMAGES } from '../../../server/src/testing/storage/damage.ts';
import { reportedDamage } from '../harness/doctor-reports.ts';
import { fillDatabase } from '../harness/filled-database.ts';
import { startServer } from '../harness/server-process.ts';

/** Damages of each kind: TRACKWAY_DAMAGES=5 for more. */
const OF_EACH = Number(process.env.TRACKWAY_DAMAGES ?? 1);

describe('a damaged database is reported by the log, by /readyz and by the doctor, and is not written', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trackway-damage-'));
    await fillDatabase(join(folder, 'stopped'), 'stop');
    await fillDatabase(join(folder, 'killed'), 'kill');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const kinds: [string, DamageWay, string][] = [
    ...Object.entries(PAGE_DAMAGES).map(([name, damage]): [string, DamageWay, string] => [name, damage, 'stopped']),
    ...Object.entries(LOG_DAMAGES).map(([name, damage]): [string, DamageWay, string] => [name, damage, 'killed']),
  ];
  const random = new Random(7);
  for (const [name, damage, source] of kinds) {
    for (let round = 1; round <= OF_EACH; round++) {
      test(`${name} ${round}`, async () => {
        const copy = join(folder, `${name}-${round}`);
        await cp(join(folder, source), copy, { recursive: true });
        damage(copy, () => random.between(0, 1));
        const received = await reportedDamage(copy);
        const { byLog, byReadyz, byDoctor, isWritable } = received;
        assert.deepEqual(
          { byLog, byReadyz, byDoctor, isWritable },
          { byLog: true, byReadyz: true, byDoctor: true, isWritable: false },
          received.said,
        );
      });
    }
  }

  test('an operator who accepts a loss goes on with what is left', async () => {
    const copy = join(folder, 'accepted');
    await cp(join(folder, 'killed'), copy, { recursive: true });
    LOG_DAMAGES.logMissing(copy, Math.random);
    const accepting = await startServer('sqlite', copy, { TRACKWAY_ACCEPT_DAMAGE: 'true' });
    assert.equal((await fetch(`${accepting.address}/readyz`)).status, 200);
    assert.equal(await accepting.stop(), 0);
    const { byReadyz, byDoctor, isWritable, said } = await reportedDamage(copy);
    assert.deepEqual(
      { byReadyz, byDoctor, isWritable },
      { byReadyz: false, byDoctor: false, isWritable: true },
      `it is accepted once and for all: ${said}`,
    );
  });

  test('an operator who wants an empty database gets one, and the rest of the old one is kept', async () => {
    const copy = join(folder, 'anew');
    await cp(join(folder, 'killed'), copy, { recursive: true });
    PAGE_DAMAGES.databaseMissing(copy, Math.random);
    const anew = await startServer('sqlite', copy, { TRACKWAY_START_EMPTY: 'true' });
    assert.equal((await fetch(`${anew.address}/readyz`)).status, 200);
    assert.equal(await anew.stop(), 0);
    const [aside] = (await readdir(copy)).filter((name) => name.startsWith('before-'));
    assert.ok((await readdir(join(copy, aside!))).includes('trackway.db-wal'));
  });

  for (const source of ['stopped', 'killed']) {
    test(`one that was ${source} and is whole raises no alarm`, async () => {
      const copy = join(folder, `${source}-whole`);
      await cp(join(folder, source), copy, { recursive: true });
      const { hasStarted, byReadyz, byDoctor, isWritable, said } = await reportedDamage(copy);
      assert.deepEqual(
        { hasStarted, byReadyz, byDoctor, isWritable },
        { hasStarted: true, byReadyz: false, byDoctor: false, isWritable: true },
        said,
      );
    });
  }
});
