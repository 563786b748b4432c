import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Operation, Version } from '@trackway/contract/operation.ts';
import { BASES, OPERATIONS, type OperationName, parametersOf } from '@trackway/contract/operations.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import type { Answer } from './harness/answer.ts';
import { onEitherEngine, STRICT_DEVICES } from './harness/engines.ts';
import { CALLERS, type Caller, EXPECTED, OUTCOMES, type Outcome, type Target } from './permissions/expectations.ts';
import { isOfOneDevice, type Request, requestFor } from './permissions/requests.ts';
import { makeWorld, snapshot, type World } from './permissions/world.ts';

interface Cell {
  readonly version: Version;
  readonly caller: Caller;
  readonly target: Target;
  readonly outcome: Outcome;
}

const NAMES = Object.keys(OPERATIONS) as OperationName[];

test('every operation has its line in the table of expectations, and every line its operation', () => {
  assert.deepEqual(Object.keys(EXPECTED).sort(), [...NAMES].sort());
});

/** A path with no id has one target, one with an id three, one with a child's id five. Reports name a device in the body. */
function targetsOf(operation: Operation): Target[] {
  const names = parametersOf(operation).filter((name) => !operation.texts?.includes(name));
  const ids = isOfOneDevice(operation) ? 1 : names.length;
  if (ids === 0) return ['own'];
  if (ids === 1) return ['own', 'foreign', 'absent'];
  return ['own', 'foreign', 'absent', 'foreign child', 'absent child'];
}

function cellsOf(name: OperationName): Cell[] {
  const operation: Operation = OPERATIONS[name];
  const cells: Cell[] = [];
  for (const target of targetsOf(operation)) {
    const row = EXPECTED[name][target];
    assert.ok(row, `${name}: nothing is said about the target "${target}"`);
    for (const version of operation.versions)
      for (const caller of CALLERS) cells.push({ version, caller, target, outcome: row[caller] });
  }
  return cells;
}

function judge(name: OperationName, cell: Cell, request: Request, answer: Answer): void {
  const what = `${name} ${cell.version} by ${cell.caller} on ${cell.target}: ${request.path} → ${answer.text.slice(0, 300)}`;
  const expected = OUTCOMES[cell.outcome];
  if (cell.outcome === 'ok') {
    assert.ok([200, 201, 204].includes(answer.status), what);
    return;
  }
  assert.equal(answer.status, expected.status, what);
  if (cell.version === 'v1') assert.equal(answer.body.error.code, (expected as { code?: string }).code, what);
  if (cell.outcome === 'invalid') return;
  // Except for the id, the answer must contain nothing but the kind of refusal.
  assert.equal(answer.text, refusalText(name, cell, request), what);
}

/** Children whose parent, the caller, is not in the path. */
const CHILDREN_OF_CALLER: Partial<Record<OperationName, string>> = {
  deletePersonalAccessToken: 'personalAccessToken',
  updatePasskey: 'passkey',
  deletePasskey: 'passkey',
};

function refusalText(name: OperationName, { version, outcome }: Cell, { parent, child }: Request): string {
  const { status, code } = OUTCOMES[outcome] as { status: number; code?: string };
  const { path } = OPERATIONS[name] as Operation;
  const [, root, , collection] = path.split('/');
  const noun = (plural = '') => (plural === 'reports' ? 'device' : plural.replace(/ies$/, 'y').replace(/s$/, ''));
  const message = {
    ok: '',
    invalid: '',
    auth: 'Authorization Required',
    expired: 'The access token has expired: log in again',
    denied:
      name === 'setUp' ? 'This set-up link is no longer valid. Restart the server to get a new one.' : 'Access Denied',
    hidden: `Unknown "${noun(root)}" id "${parent}".`,
    ended:
      name === 'openLink'
        ? 'This link has ended or was revoked.'
        : 'This link is no longer valid: it was used, replaced by a newer one, or has expired. Ask for a new one.',
    'no mail': `This server cannot send e-mail. ${
      name === 'createInvitation'
        ? 'Add the user with a password instead, and send it to them over a secure channel.'
        : 'Ask an admin for a new password. An admin who has forgotten theirs runs `trackway user password`.'
    }`,
    'no child': `No instance with id ${child ?? parent} found for ${CHILDREN_OF_CALLER[name] ?? noun(collection)}`,
  }[outcome];
  return JSON.stringify(
    version === 'v2'
      ? { code: status, message }
      : { error: { statusCode: status, name: 'Error', message, ...(code && { code }) } },
  );
}

/** The part of a path that names a collection. Objects of one are made one after another, since makers look for others. */
const collectionOf = (name: OperationName) => (OPERATIONS[name] as Operation).path.replaceAll(/\{\w+\}.*$|^\//g, '');

/** What was made for the calls may have an effect or two later: taken again and again until nothing changes by itself. */
async function stillSnapshot(world: World): Promise<string[]> {
  let seen = await snapshot(world);
  await eventually('nothing changes by itself any more', async () => {
    const earlier = seen;
    seen = await snapshot(world);
    return isDeepStrictEqual(seen, earlier);
  });
  return seen;
}

// Credentials for a broker need an address of one, and nothing is sent to it.
onEitherEngine(
  'permissions',
  (running) => {
    let world: World;
    const refused = new Map<OperationName, [Cell, Request][]>();
    let seenBefore: string[];
    before(async () => {
      world = await makeWorld(running.api);
      await Promise.all(
        [...Map.groupBy(NAMES, collectionOf).values()].map(async (names) => {
          for (const name of names) {
            const calls: [Cell, Request][] = [];
            for (const cell of cellsOf(name)) if (cell.outcome !== 'ok') calls.push(await callOf(name, cell));
            refused.set(name, calls);
          }
        }),
      );
      seenBefore = await stillSnapshot(world);
    });

    const callOf = async (name: OperationName, cell: Cell): Promise<[Cell, Request]> => [
      cell,
      await requestFor(world, name, cell.caller, cell.target, cell.outcome),
    ];

    async function ask(name: OperationName, cell: Cell, request: Request): Promise<void> {
      const { method } = OPERATIONS[name];
      const { token, body, headers } = request;
      judge(name, cell, request, await world.api(method, BASES[cell.version] + request.path, { token, body, headers }));
    }

    for (const name of NAMES) {
      test(`${name} is refused`, async () => {
        await Promise.all(refused.get(name)!.map(([cell, request]) => ask(name, cell, request)));
      });
    }

    test('no call that is refused changes anything', async () => {
      assert.deepEqual(await snapshot(world), seenBefore);
    });

    for (const name of NAMES) {
      test(`${name} is allowed`, async () => {
        for (const cell of cellsOf(name)) if (cell.outcome === 'ok') await ask(name, ...(await callOf(name, cell)));
      });
    }
  },
  { TRACKWAY_MQTT_URL: 'mqtt://127.0.0.1:9', ...STRICT_DEVICES },
);
