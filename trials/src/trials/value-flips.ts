import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '@trackway/simulator/random.ts';
import { reportedDamage } from '../../../e2e/src/harness/doctor-reports.ts';
import { fillDatabase } from '../../../e2e/src/harness/filled-database.ts';
import { databaseFile } from '../../../server/src/platform/storage/sqlite/care/log-file.ts';
import { Tally } from '../fleet/tally.ts';
import type { Trial } from '../trial.ts';

/** SQLite has no checksums: a flipped bit inside a value may stay undetected. It is counted, but it is not a fault. */
export const valueFlips: Trial = {
  about: 'one bit flipped anywhere in the database file, most often inside a value; counted, without a limit',
  tries: { quick: 5, full: 30 },
  async run(total, progress) {
    const tally = new Tally();
    const random = new Random(12);
    const home = await mkdtemp(join(tmpdir(), 'trial-flips-'));
    const source = join(home, 'source');
    await fillDatabase(source, 'stop');
    let noticed = 0;
    for (let done = 0; done < total; done += 1) {
      const copy = join(home, `copy-${done}`);
      await cp(source, copy, { recursive: true });
      const bytes = await readFile(databaseFile(copy));
      bytes[Math.floor(random.between(0, bytes.length - 1))]! ^= 1 << Math.floor(random.between(0, 7.99));
      await writeFile(databaseFile(copy), bytes);
      const { byLog, byReadyz, byDoctor } = await reportedDamage(copy);
      if (byLog || byReadyz || byDoctor) noticed += 1;
      await rm(copy, { recursive: true, force: true });
      progress(done + 1);
    }
    await rm(home, { recursive: true, force: true });
    tally.note('noticed', noticed);
    tally.note('not noticed', total - noticed);
    return tally.result(total);
  },
};
