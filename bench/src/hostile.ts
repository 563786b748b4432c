import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@trackway/server/testing/postgres-server.ts';
import type { Attack, Attacked, AttackName } from './load/hostile-user.ts';
import type { Experience, OrdinaryUse, OrdinaryUser } from './load/ordinary-users.ts';
import { cpuTimeMs } from './print/cpu-time.ts';
import { loadAverage } from './print/machine.ts';
import { type Cells, number, printTable, verdict } from './print/table.ts';
import { outputOf, ROOT } from './process.ts';
import { Api, startTrackway, type Trackway } from './trackway.ts';

/** The effect of one hostile user on ordinary users, for each attack. */

const USERS = 6;
const HISTORY = 60_000;
const SECONDS = 15;
const SHORT_SECONDS = 6;
const [BAR_RATIO, BAR_MS, MAX_MS] = [3, 50, 250];

interface HostileDevice {
  readonly triggers: number;
  readonly history?: number;
}

/** The device that each attack uses. */
const ATTACKS: Record<AttackName, HostileDevice> = {
  exports: { triggers: 0, history: HISTORY },
  trials: { triggers: 0, history: HISTORY },
  'reports of 200 points': { triggers: 100 },
  'reports of 2 000 points': { triggers: 20 },
  flood: { triggers: 20 },
  'unread answers': { triggers: 0 },
  'slow requests': { triggers: 0 },
  'huge filters': { triggers: 0, history: HISTORY },
};

export async function benchHostile(flags: ReadonlySet<string>): Promise<void> {
  const seconds = flags.has('--short') ? SHORT_SECONDS : SECONDS;
  const only = [...flags].find((flag) => flag.startsWith('--only='))?.slice('--only='.length);
  const folder = mkdtempSync(join(tmpdir(), 'trackway-bench-'));
  const postgres = flags.has('--postgres') ? await startPostgres({ durable: true }) : undefined;
  const rows: Cells[] = [];
  try {
    for (const [store, environment] of [
      ['SQLite', { TRACKWAY_DATA: folder }],
      ['PostgreSQL', postgres && { TRACKWAY_DATABASE_URL: postgres.url }],
    ] as const) {
      if (environment === undefined) continue;
      const server = await startTrackway({ ...environment, TRACKWAY_RATE_LIMIT: '2000' });
      try {
        const admin = await Api.signIn(server.address);
        const users = await Promise.all(Array.from({ length: USERS }, (_, index) => makeUser(admin, index)));
        for (const name of Object.keys(ATTACKS) as AttackName[])
          if (only === undefined || name === only)
            rows.push(await underAttack(store, server, admin, users, name, seconds));
      } finally {
        await server.stop();
      }
    }
  } finally {
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  printTable(
    `${USERS} ordinary users and one hostile user, ${seconds} s each, load average ${loadAverage()}; bar: p99 ≤ max(${BAR_RATIO} × without, ${BAR_MS} ms), never over ${MAX_MS} ms`,
    [
      'store',
      'attack',
      'p50 without',
      'with',
      'p99 without',
      'with',
      'ratio',
      'max without',
      'with',
      'live p99',
      'slowest',
      'failed',
      'attacker got',
      'server CPU s',
      'users CPU s',
      'attacker CPU s',
      '',
    ],
    rows,
  );
}

async function makeUser(admin: Api, index: number): Promise<OrdinaryUser> {
  const person = { email: `ordinary-${index}@example.com`, password: 'a quiet ordinary phrase' };
  await admin.post('/users', person);
  const user = await Api.signIn(admin.address, person);
  const { id: deviceId, deviceKey } = await user.post('/devices', { name: `Van ${index}` });
  await user.post(`/devices/${deviceId}/notificationTriggers`, { type: 'speed', parameters: { limit: 100 } });
  return { token: user.token, userId: user.userId, deviceId, deviceKey: deviceKey as string };
}

async function underAttack(
  store: string,
  server: Trackway,
  admin: Api,
  users: readonly OrdinaryUser[],
  name: AttackName,
  seconds: number,
): Promise<Cells> {
  const hostile = await makeHostile(admin, name);
  const use: OrdinaryUse = { address: server.address, users, seconds };
  const without = await experienceOf(use);
  const attack: Attack = { address: server.address, name, asset: largestAsset(), ...hostile, seconds: seconds + 2 };
  const before = cpuTimeMs(server.pid) ?? Number.NaN;
  const attacking = outputOf({ arguments: ['bench/src/load/hostile-user.ts'], input: JSON.stringify(attack) });
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const during = await experienceOf(use);
  const serverMs = (cpuTimeMs(server.pid) ?? Number.NaN) - before;
  const attacked = JSON.parse(await attacking) as Attacked;
  const isMet = during.p99Ms <= Math.max(BAR_RATIO * without.p99Ms, BAR_MS) && during.maxMs <= MAX_MS;
  return [
    store,
    name,
    number(without.p50Ms, 1),
    number(during.p50Ms, 1),
    number(without.p99Ms),
    number(during.p99Ms),
    number(during.p99Ms / without.p99Ms, 1),
    number(without.maxMs),
    number(during.maxMs),
    number(during.liveP99Ms),
    during.slowest,
    number(during.failures),
    Object.entries(attacked.statuses)
      .map(([status, count]) => `${count} × ${status}`)
      .join(', '),
    number(serverMs / 1000, 1),
    number(during.cpuMs / 1000, 1),
    number(attacked.cpuMs / 1000, 1),
    verdict(isMet),
  ];
}

const experienceOf = async (use: OrdinaryUse): Promise<Experience> =>
  JSON.parse(await outputOf({ arguments: ['bench/src/load/ordinary-users.ts'], input: JSON.stringify(use) }));

/** A user of its own for each attack, with a device that has what the attack needs. */
async function makeHostile(admin: Api, name: AttackName): Promise<Pick<Attack, 'token' | 'deviceId' | 'deviceKey'>> {
  const { triggers, history = 0 } = ATTACKS[name];
  const person = { email: `hostile-${name.replaceAll(' ', '-')}@example.com`, password: 'a quite hostile phrase' };
  await admin.post('/users', person);
  const user = await Api.signIn(admin.address, person);
  const { id: deviceId, deviceKey } = await user.post('/devices', { name: 'Hostile' });
  for (let index = 0; index < triggers; index++)
    await user.post(`/devices/${deviceId}/notificationTriggers`, { type: 'newLoc', parameters: {} });
  const key = deviceKey as string;
  const firstAt = Date.now() - 20 * 86_400_000;
  for (let start = 0; start < history; start += 2000) await sendHistory(admin.address, key, firstAt, start);
  return { token: user.token, deviceId, deviceKey: key };
}

async function sendHistory(address: string, key: string, firstAt: number, start: number): Promise<void> {
  const points = Array.from({ length: 2000 }, (_, index) => ({
    timestamp: firstAt + (start + index) * 20_000,
    location: { lat: 51.5 + Math.sin((start + index) / 50) / 100, lng: -0.12 },
    speed: 30,
    accuracy: 8,
  }));
  const response = await fetch(`${address}/ingest/reports`, {
    method: 'POST',
    headers: { authorization: key, 'content-type': 'application/json' },
    body: JSON.stringify({ points }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
}

/** The largest file of the console, where it is built. */
function largestAsset(): string {
  const folder = join(ROOT, 'console/dist/assets');
  try {
    const [largest] = readdirSync(folder)
      .filter((file) => file.endsWith('.js'))
      .sort((a, b) => statSync(join(folder, b)).size - statSync(join(folder, a)).size);
    return largest ? `/assets/${largest}` : '/';
  } catch {
    return '/';
  }
}
