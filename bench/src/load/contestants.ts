import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, startServer } from '../process.ts';
import { Api, startTrackway, type Thing } from '../trackway.ts';
import { GEOFENCE, READING } from './examples.ts';
import type { LoadRequest } from './load.ts';

/** The servers that answer the same operations, each in one Node process. */

export const OPERATIONS = {
  1: 'GET a gateway reading',
  3: 'GET the configuration',
  8: 'GET the geofences',
  // Last, because a list on LoopBack reads every geofence.
  5: 'POST a geofence',
} as const;

export type OperationNumber = keyof typeof OPERATIONS;
export type Requests = Record<OperationNumber, LoadRequest>;

export interface Contestant {
  readonly name: string;
  readonly pid: number;
  readonly address: string;
  readonly requests: Requests;
  stop(): Promise<void>;
}

const GEOFENCES = 10;

interface Ids {
  readonly userId: number;
  readonly deviceId: number;
  readonly readingId: number;
}

function requestsFor({ userId, deviceId, readingId }: Ids, headers: Record<string, string>): Requests {
  return {
    1: { method: 'GET', path: `/api/devices/${deviceId}/gatewayReadings/${readingId}`, headers },
    3: { method: 'GET', path: `/api/devices/${deviceId}/config`, headers },
    8: { method: 'GET', path: `/api/users/${userId}/geofences`, headers },
    5: {
      method: 'POST',
      path: `/api/users/${userId}/geofences`,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(GEOFENCE),
    },
  };
}

/** Our server, on the store that the environment names. Its caller is an ordinary user with a device. */
export async function startOurs(name: string, environment: Record<string, string>): Promise<Contestant> {
  // Operation 5 makes more geofences than a user may have.
  const { address, pid, stop } = await startTrackway({ TRACKWAY_QUOTA_GEOFENCES: '0', ...environment });
  const admin = await Api.signIn(address);
  const person = { email: `user-${Date.now()}@example.com`, password: 'bench-password' };
  await admin.post('/users', person);
  const user = await Api.signIn(address, person);
  const { id: deviceId } = await user.post('/devices', { name: 'gateway' });
  const { id: readingId } = await user.post(`/devices/${deviceId}/gatewayReadings`, { ...READING, deviceId });
  for (let i = 0; i < GEOFENCES; i += 1) await user.post(`/users/${user.userId}/geofences`, GEOFENCE);
  const requests = requestsFor({ userId: user.userId, deviceId, readingId }, user.headers);
  return { name, pid, address, requests, stop };
}

export type Answers = Record<OperationNumber, Thing>;

/** The answers of a contestant, so that the others can give the same. */
export async function answersOf({ address, requests }: Contestant): Promise<Answers> {
  const answer = async ({ path, ...request }: LoadRequest) => (await fetch(address + path, request)).json();
  const entries = Object.entries(requests).map(async ([number, request]) => [number, await answer(request)]);
  return Object.fromEntries(await Promise.all(entries)) as Answers;
}

export async function startBare(requests: Requests, answers: Answers): Promise<Contestant> {
  const routes = Object.entries(requests).map(([number, { method, path }]) => [
    `${method} ${path}`,
    answers[Number(number) as OperationNumber],
  ]);
  const input = JSON.stringify(Object.fromEntries(routes));
  const { greeting, pid, stop } = await startServer(
    { arguments: ['bench/src/load/bare-server.ts'], input },
    /is at (\S+)/,
  );
  return { name: 'bare Fastify', pid, address: greeting, requests, stop };
}

export async function startLoopBack(answers: Answers): Promise<Contestant> {
  installOracle();
  const things = { reading: answers[1], config: answers[3], geofence: answers[5], geofences: GEOFENCES };
  const { greeting, pid, stop } = await startServer(
    { arguments: ['oracle/bench-server.cjs'], input: JSON.stringify(things) },
    /^\{.*\}/m,
  );
  const { address, token, ...ids } = JSON.parse(greeting) as Ids & { address: string; token: string };
  return { name: 'LoopBack 3', pid, address, requests: requestsFor(ids, { authorization: token }), stop };
}

function installOracle(): void {
  if (existsSync(join(ROOT, 'oracle/node_modules/loopback'))) return;
  console.log('Installing LoopBack 3 …');
  const { status } = spawnSync('npm', ['ci', '--prefix', 'oracle', '--no-audit', '--no-fund'], { cwd: ROOT });
  if (status !== 0) throw new Error('LoopBack 3 could not be installed: npm ci --prefix oracle');
}
