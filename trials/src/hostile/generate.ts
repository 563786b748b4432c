import type { Operation } from '@trackway/contract/operation.ts';
import { BASES, OPERATIONS } from '@trackway/contract/operations.ts';
import type { Random } from '@trackway/simulator/random.ts';
import { LARGE, SMALL } from '../../../e2e/src/hostile/values.ts';
import { plausible } from './plausible.ts';

/** A request of an attacker. */
export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Who sends it. */
export interface Tokens {
  readonly user: string;
  readonly admin: string;
  readonly deviceKey: string;
}

/** Each of these checks a password, which takes long by design; they come rarely. */
const SLOW = /login|setup|password|refreshToken|reset|invit|session|passkey|secondFactor/i;
/** These would take the sender's own rights away, and with them the point of all later requests. */
const ENDING =
  /^(logout|deleteUser|deleteDevice|rotateDeviceKey|deletePersonalAccessToken|changePassword|updateUser$|endSession|endAllSessions|deleteSession)/;
const IDS = [
  '1',
  '2',
  '3',
  '4',
  '5',
  'me',
  '0',
  '-1',
  '1.5',
  'NaN',
  '9007199254740993',
  '%00',
  '%F0%28',
  '..%2f',
  "1'--",
  '',
];
const USUAL_IDS = ['1', '2', '3', 'me'];
const FIELDS = [
  'id',
  'name',
  'timestamp',
  'value',
  'type',
  'meta.a',
  'location',
  'center',
  'userId',
  '__proto__',
  'constructor',
];
const OPERATORS = [
  'gt',
  'lt',
  'between',
  'inq',
  'nin',
  'neq',
  'like',
  'nlike',
  'ilike',
  'regexp',
  'near',
  'exists',
  '$where',
  'and',
  'or',
];
const INGEST = ['/ingest/reports', '/ingest/osmand', '/ingest/owntracks', '/ingest/overland'];

const operations = Object.entries(OPERATIONS as Record<string, Operation>).filter(([name]) => !ENDING.test(name));
const quick = operations.filter(([name, { path }]) => !SLOW.test(name) && !SLOW.test(path));

export function hostileRequest(random: Random, tokens: Tokens): HostileRequest {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.between(0, list.length - 1e-9))]!;
  const chance = (share: number) => random.between(0, 1) < share;
  if (chance(0.12)) return toIngest(pick, chance, tokens);
  const [, operation] = pick(chance(0.005) ? operations : quick);
  const path =
    BASES[pick(operation.versions)] + operation.path.replaceAll(/\{\w+\}/g, () => pick(chance(0.7) ? USUAL_IDS : IDS));
  const method = chance(0.03) ? pick(['PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND']) : operation.method;
  const headers: Record<string, string> = tokenHeaders(pick, chance, method, tokens);
  const hasBody = operation.body !== undefined && method !== 'HEAD' && method !== 'TRACE';
  if (hasBody)
    headers['content-type'] = chance(0.95) ? 'application/json' : pick(['text/plain', 'multipart/form-data', 'x']);
  return {
    method,
    path: path + query(pick, chance, operation),
    headers,
    ...(hasBody && { body: bodyOf(pick, chance, operation) }),
  };
}

type Pick = <T>(list: readonly T[]) => T;
type Chance = (share: number) => boolean;

/** An admin's token goes with reads alone: its writes would undo the users of the trial. */
function tokenHeaders(pick: Pick, chance: Chance, method: string, { user, admin }: Tokens): Record<string, string> {
  if (chance(0.95)) return { authorization: method === 'GET' && chance(0.3) ? admin : user };
  return pick<Record<string, string>>([
    {},
    { authorization: 'x' },
    { authorization: 'Bearer ' },
    { 'x-access-token': '%00' },
  ]);
}

function query(pick: Pick, chance: Chance, { narrowing, query: declared }: Operation): string {
  const pairs: string[] = [];
  if (narrowing !== undefined && chance(0.7)) {
    const where = condition(pick, chance, 0);
    const filter = narrowing === 'where' ? where : `{"where":${where},"order":${pick(SMALL)},"limit":${pick(SMALL)}}`;
    pairs.push(`${narrowing}=${encodeURIComponent(chance(0.9) ? filter : filter.slice(1))}`);
  }
  for (const name of Object.keys(declared ?? {}))
    if (chance(0.5)) pairs.push(`${name}=${encodeURIComponent(pick(SMALL).replaceAll('"', ''))}`);
  if (chance(0.05))
    pairs.push(pick(['filter[where][id]=1', 'filter=%', 'a=%ff', 'filter[][][]=1', '&&&=', 'access_token=x']));
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

function condition(pick: Pick, chance: Chance, depth: number): string {
  if (depth < 4 && chance(0.2)) {
    const parts = [condition(pick, chance, depth + 1), condition(pick, chance, depth + 1)];
    return `{"${pick(['and', 'or'])}":[${parts.join(',')}]}`;
  }
  const value = chance(0.5)
    ? pick(SMALL)
    : `{"${pick(OPERATORS)}":${chance(0.5) ? pick(SMALL) : `[${pick(SMALL)},${pick(SMALL)}]`}}`;
  return `{"${pick(FIELDS)}":${value}}`;
}

function bodyOf(pick: Pick, chance: Chance, { body }: Operation): string {
  if (chance(0.05)) return pick(['', '{', '[]', 'null', '"x"', '{"a":1}}', '\u0000', '{"__proto__":{"admin":true}}']);
  // Some bodies have one bad field, some have many.
  const badShare = pick([0.05, 0.4]);
  const fields = Object.entries(body!.noun.fields).filter(() => chance(0.6));
  const pairs = fields.map(([name, schema]) => {
    const value = chance(1 - badShare) ? plausible(schema) : chance(0.03) ? pick(LARGE) : pick(SMALL);
    return `${JSON.stringify(name)}:${value}`;
  });
  return `{${pairs.join(',')}}`;
}

function toIngest(pick: Pick, chance: Chance, { deviceKey }: Tokens): HostileRequest {
  const item = () =>
    `{"timestamp":${pick(SMALL)},"location":${pick(SMALL)},"speed":${pick(SMALL)},"type":${pick(SMALL)},"value":${pick(SMALL)},"message":${pick(SMALL)},"_type":"location","lat":${pick(SMALL)},"lon":${pick(SMALL)},"tst":${pick(SMALL)}}`;
  const list = () => (chance(0.8) ? `[${[item(), item()].join(',')}]` : pick(SMALL));
  const path = pick(INGEST);
  const body = pick([
    `{"points":${list()},"readings":${list()},"gatewayReadings":${list()},"messages":${list()},"taken":${pick(SMALL)}}`,
    `{"locations":${list()}}`,
    item(),
    pick(SMALL),
    pick(LARGE),
  ]);
  const key = chance(0.9) ? deviceKey : 'wrong';
  return {
    method: 'POST',
    path:
      path === '/ingest/reports'
        ? path
        : `${path}/${key}?lat=${encodeURIComponent(pick(SMALL))}&lon=1&timestamp=${encodeURIComponent(pick(SMALL))}`,
    headers: { authorization: key, 'content-type': 'application/json' },
    body,
  };
}
