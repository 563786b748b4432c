import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { Random } from '@trackway/simulator/random.ts';
import { lookInto } from '../../../server/src/testing/place.ts';
import { accountOfItems } from '../fleet/account.ts';
import { evaluated } from '../fleet/quiet.ts';
import { Sender } from '../fleet/sender.ts';
import { serve } from '../fleet/serve.ts';
import { setUpFleet } from '../fleet/set-up.ts';
import { Tally } from '../fleet/tally.ts';
import { imagesMissing, makeImage } from '../places/image.ts';
import { placesOn } from '../places/places.ts';
import type { Trial } from '../trial.ts';

const MEGABYTES = 96;
const REPORTS_UNTIL_CUT: readonly [number, number] = [20, 400];
const WEAK = join(import.meta.dirname, '../fleet/weak-sync.ts');

/** The power goes: what the disk has is what was flushed. The control does not flush at each commit. */
export const powerCuts = ({ isControl = false } = {}): Trial => ({
  about: isControl
    ? 'the same with synchronous=NORMAL, which must lose data'
    : 'power cuts under load, on SQLite: a copy of the disk with what was flushed',
  tries: isControl ? { quick: 2, full: 10 } : { quick: 3, full: 100 },
  missing: imagesMissing,
  isControl,
  async run(total, progress) {
    const tally = new Tally();
    const environment: Record<string, string> = isControl ? { NODE_OPTIONS: `--import=${WEAK}` } : {};
    // The fleet is set up once, and each disk gets a copy.
    await using places = await placesOn('sqlite');
    const source = await places.make();
    const keys = await setUpFleet('sqlite', source);
    for (let cut = 1; cut <= total; cut += 1) {
      await cutOnce({ seed: cut, source, keys, environment, tally });
      progress(cut, tally.text());
    }
    return tally.result(total);
  },
});

interface Cut {
  readonly seed: number;
  /** A folder with the fleet as it was set up. */
  readonly source: string;
  readonly keys: readonly string[];
  readonly environment: Record<string, string>;
  readonly tally: Tally;
}

async function cutOnce({ seed, source, keys, environment, tally }: Cut): Promise<void> {
  await using disk = await makeImage(MEGABYTES);
  await cp(source, join(disk.folder, 'data'), { recursive: true });
  const sender = new Sender(keys, seed);
  const server = await serve('sqlite', join(disk.folder, 'data'), environment);
  const due = Math.round(new Random(seed).between(...REPORTS_UNTIL_CUT));
  let cut: ReturnType<typeof disk.copy> | undefined;
  let acknowledged: Sender['acknowledged'] = [];
  await sender.send(
    () => server.address,
    () => cut === undefined,
    () => {
      if (sender.acknowledged.length < due || cut !== undefined) return;
      // Nothing moves while the disk is copied: what was acknowledged before must be on it.
      process.kill(server.pid, 'SIGSTOP');
      acknowledged = [...sender.acknowledged];
      cut = disk.copy().finally(() => server.kill());
    },
  );
  await using copy = await cut!;
  const place = join(copy.folder, 'data');
  const after = await serve('sqlite', place, environment);
  await evaluated(place);
  const ready = await fetch(`${after.address}/readyz`);
  if (ready.status !== 200) tally.fault([`not ready after a power cut: ${await ready.text()}`]);
  await after.stop();
  await lookInto(place, async (store) => tally.add(await accountOfItems(store, acknowledged)));
  tally.note('reports', acknowledged.length);
}
