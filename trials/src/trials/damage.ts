import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '@trackway/simulator/random.ts';
import { reportedDamage } from '../../../e2e/src/harness/doctor-reports.ts';
import { fillDatabase } from '../../../e2e/src/harness/filled-database.ts';
import { type DamageWay, LOG_DAMAGES, PAGE_DAMAGES } from '../../../server/src/testing/storage/damage.ts';
import { Tally } from '../fleet/tally.ts';
import type { Trial } from '../trial.ts';

const REPORTED_WITHIN_S = 60;

/** Each way to damage a database in turn; log, `/readyz` and the doctor must report it, and nothing may be written. */
export const damage: Trial = {
  about: `damaged databases: a fault is damage that log, /readyz and doctor do not report within ${REPORTED_WITHIN_S} s`,
  tries: { quick: 12, full: 50 },
  async run(total, progress) {
    const tally = new Tally();
    const random = new Random(11);
    const home = await mkdtemp(join(tmpdir(), 'trial-damage-'));
    const [stopped, killed] = [join(home, 'stopped'), join(home, 'killed')];
    await fillDatabase(stopped, 'stop');
    await fillDatabase(killed, 'kill');
    const ways: [name: string, way: DamageWay, source: string][] = [
      ...Object.entries(PAGE_DAMAGES).map(([name, way]): [string, DamageWay, string] => [name, way, stopped]),
      ...Object.entries(LOG_DAMAGES).map(([name, way]): [string, DamageWay, string] => [name, way, killed]),
    ];
    let slowest = 0;
    for (let done = 0; done < total; done += 1) {
      const [name, way, source] = ways[done % ways.length]!;
      const copy = join(home, `${name}-${done}`);
      await cp(source, copy, { recursive: true });
      way(copy, () => random.between(0, 1));
      const { byLog, byReadyz, byDoctor, isWritable, seconds } = await reportedDamage(copy);
      slowest = Math.max(slowest, seconds);
      if (!byLog || !byReadyz || !byDoctor || isWritable || seconds > REPORTED_WITHIN_S)
        tally.fault([`${name}: ${JSON.stringify({ byLog, byReadyz, byDoctor, isWritable, seconds })}`]);
      await rm(copy, { recursive: true, force: true });
      progress(done + 1);
    }
    await rm(home, { recursive: true, force: true });
    const { note: _, ...result } = tally.result(total);
    return { ...result, note: `reported after at most ${slowest.toFixed(1)} s` };
  },
};
