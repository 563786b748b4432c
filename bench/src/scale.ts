import { printTable, verdict } from './print/table.ts';
import { coldStart } from './scale/cold-start.ts';
import type { Finding } from './scale/finding.ts';
import { growth } from './scale/growth.ts';
import { hostileFilters } from './scale/hostile-filters.ts';
import { indexedLists } from './scale/indexed-lists.ts';
import { readingsFolder } from './scale/readings-database.ts';
import { Api, startTrackway } from './trackway.ts';

/** The service with a million readings. */

const FEW = 1000;
const MANY = 1_000_000;

export async function benchScale(): Promise<void> {
  const [fewFolder, manyFolder] = [await readingsFolder(FEW), await readingsFolder(MANY)];
  const findings: Finding[] = [await coldStart(manyFolder)];
  const few = await startTrackway({ TRACKWAY_DATA: fewFolder });
  const many = await startTrackway({ TRACKWAY_DATA: manyFolder });
  try {
    findings.push(...(await growth({ server: few, readings: FEW }, { server: many, readings: MANY })));
    const admin = await Api.signIn(many.address);
    findings.push(...(await indexedLists(admin)));
    findings.push(...(await hostileFilters(admin, [await anyone(admin), await anyone(admin)])));
  } finally {
    await few.stop();
    await many.stop();
  }
  printTable(
    `A million readings (${MANY.toLocaleString('en')} of one gateway, on SQLite)`,
    ['what', 'median', 'worst', 'bar', ''],
    findings.map(({ what, median, worst, bar, isMet }) => [what, median, worst, bar, verdict(isMet)]),
  );
}

/** Another user who may see the device. */
async function anyone(admin: Api): Promise<Api> {
  const person = { email: `user-${Date.now()}-${Math.random()}@example.com`, password: 'walk the dog at noon' };
  const { id } = await admin.post('/users', person);
  await admin.post('/devices/1/shares', { userId: id, rights: 'view' });
  return Api.signIn(admin.address, person);
}
