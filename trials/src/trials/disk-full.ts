import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { apiOf } from '../../../e2e/src/harness/api.ts';
import { logIn } from '../../../e2e/src/harness/people.ts';
import { ADMIN } from '../../../e2e/src/harness/server-process.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { lookInto } from '../../../server/src/testing/place.ts';
import { accountOfItems } from '../fleet/account.ts';
import { evaluated } from '../fleet/quiet.ts';
import { Sender } from '../fleet/sender.ts';
import { serve } from '../fleet/serve.ts';
import { setUpFleet } from '../fleet/set-up.ts';
import { Tally } from '../fleet/tally.ts';
import { imagesMissing, makeImage } from '../places/image.ts';
import type { Trial } from '../trial.ts';

const MEGABYTES = 64;
const BEFORE = 150;
const AFTER = 150;

/** The disk fills up under load, and has room again later. */
export const diskFull: Trial = {
  about: 'the disk is full for a while, on SQLite',
  tries: { quick: 1, full: 10 },
  missing: imagesMissing,
  async run(total, progress) {
    const tally = new Tally();
    for (let round = 1; round <= total; round += 1) {
      await fillOnce(round, tally);
      progress(round, tally.text());
    }
    return tally.result(total);
  },
};

async function fillOnce(seed: number, tally: Tally): Promise<void> {
  await using disk = await makeImage(MEGABYTES);
  const place = join(disk.folder, 'data');
  const sender = new Sender(await setUpFleet('sqlite', place), seed);
  const server = await serve('sqlite', place);
  const api = apiOf(server.address);
  const token = await logIn(api, ADMIN.email, ADMIN.password);
  await sender.send(
    () => server.address,
    () => sender.acknowledged.length < BEFORE,
  );

  const filler = join(disk.folder, 'filler');
  fill(filler, disk.folder);
  // Devices go on; they stop only once the server refuses, since whatever room is left is used up.
  let refused = 0;
  const seen = () => fetch(`${server.address}/readyz`).then(({ status }) => status);
  const ended = sender.send(
    () => server.address,
    () => refused < 5,
  );
  await eventually('it says that it is not ready', seen, (status) => status === 503);
  refused = 5;
  await ended;
  const read = await api('GET', '/api/devices', { token });
  if (read.status !== 200) tally.fault([`reading failed on a full disk: ${read.status}`]);

  rmSync(filler);
  await eventually('it is ready again', seen, (status) => status === 200);
  const enough = sender.acknowledged.length + AFTER;
  await sender.send(
    () => server.address,
    () => sender.acknowledged.length < enough,
  );
  api.close();
  await evaluated(place);
  await server.stop();
  tally.fault(sender.wrongAnswers);
  await lookInto(place, async (store) => tally.add(await accountOfItems(store, sender.acknowledged)));
  tally.note('reports', sender.acknowledged.length);
}

/** Takes all the room there is. */
function fill(file: string, folder: string): void {
  const handle = openSync(file, 'w');
  const block = Buffer.alloc(64 * 1024, 1);
  try {
    while (statfsSync(folder).bavail > 0) writeSync(handle, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(handle);
  }
}
