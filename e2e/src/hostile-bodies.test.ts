import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { accept } from '@trackway/contract/accept.ts';
import type { Operation } from '@trackway/contract/operation.ts';
import { OPERATIONS, type OperationName } from '@trackway/contract/operations.ts';
import { isStorable } from '@trackway/contract/values.ts';
import fc from 'fast-check';
import { runsPart } from '../../server/src/testing/databases.ts';
import { onEitherEngine } from './harness/engines.ts';
import { startServer } from './harness/server-process.ts';
import { makeStation, type Station } from './harness/station.ts';
import { type Call, callsWithBodies } from './hostile/bodies.ts';
import { checkHealth } from './hostile/health.ts';
import { LARGE, SMALL } from './hostile/values.ts';

const SEED = 20_260_301;
const JSON_TYPE = { 'content-type': 'application/json' };
/** The statuses of the contract for an invalid body; 401 and 429 belong to the login. */
const CONTRACTED = [200, 201, 204, 400, 401, 403, 413, 422, 429];
const isContracted = (status: number, { isAbsent }: Call) =>
  CONTRACTED.includes(status) || (isAbsent === true && status === 404);

const NAMES = (Object.keys(OPERATIONS) as OperationName[]).filter((name) => (OPERATIONS[name] as Operation).body);

/** The slow tests send every value in every field. */
const EVERY_FIELD = runsPart('slow');

test('every field of every body takes or refuses every kind of value, and takes none that cannot be stored', () => {
  // Parsed once: the large values take longer to parse than to check.
  const values = [...SMALL, ...LARGE].map((text) => ({ text, value: JSON.parse(text) }));
  for (const name of NAMES) {
    const { method, body } = OPERATIONS[name] as Operation;
    const mode = method === 'PUT' ? 'update' : 'create';
    for (const field of Object.keys(body!.noun.fields))
      for (const { text, value } of values) {
        const what = `${name} ${field} = ${text.slice(0, 60)}`;
        const { values: taken, violations } = accept(body!.noun, mode, { [field]: value });
        for (const { code, message } of violations) assert.ok(code !== '' && message !== '', what);
        const isRefused = violations.some((violation) => violation.field === field);
        assert.ok(!isRefused || !Object.hasOwn(taken, field), `${what} is both taken and refused`);
        if (Object.hasOwn(taken, field)) assert.ok(isStorable(taken[field]), `${what} is taken`);
      }
  }
});

/** Every kind of value is sent in a field of each type of each body, and no answer may be a 5xx or violate the contract. */
onEitherEngine(
  'hostile bodies',
  (running) => {
    let station: Station;
    let calls: Partial<Record<OperationName, Call>>;
    before(async () => {
      station = await makeStation(running.api);
      calls = await callsWithBodies(running.api, station);
    });

    const send = (name: OperationName, { path, token }: Call, raw: string) =>
      running.api(OPERATIONS[name].method, path, { token, raw, headers: JSON_TYPE });

    /** A valid body except for one field. */
    function spoilt({ body = {} }: Call, field: string, value: string): string {
      const remaining = Object.entries(body).filter(([other]) => other !== field);
      const parts = remaining.map(([other, good]) => `${JSON.stringify(other)}:${JSON.stringify(good)}`);
      return `{${[...parts, `${JSON.stringify(field)}:${value}`].join(',')}}`;
    }

    /** The object's current state; read after each round, to detect a change by a refused call. */
    async function seen({ seenAt, token }: Call): Promise<string | undefined> {
      if (seenAt === undefined) return undefined;
      const answer = await running.api('GET', seenAt, { token });
      assert.equal(answer.status, 200);
      // These change by themselves: whether all devices follow a rule yet, and a message whose time has passed.
      return answer.text.replace(/"isSettled":(true|false)/, '').replace(/"state":"(queued|expired)"/, '');
    }

    test('every operation with a body is tried', () => {
      assert.deepEqual(Object.keys(calls).sort(), [...NAMES].sort());
    });

    for (const name of NAMES) {
      const { noun } = (OPERATIONS[name] as Operation).body!;
      test(name, async () => {
        const call = calls[name]!;
        const typesTried = new Set<string>();
        for (const [field, schema] of Object.entries(noun.fields)) {
          const { type, format } = schema as { type?: string; format?: string };
          const isNewType = !typesTried.has(`${type} ${format}`);
          typesTried.add(`${type} ${format}`);
          // Which field refuses what is decided before any engine is asked. What an engine is asked differs by the type.
          if (!isNewType && !EVERY_FIELD) continue;
          let kept = await seen(call);
          for (const value of isNewType ? [...SMALL, ...LARGE] : SMALL) {
            const { status, text } = await send(name, call, spoilt(call, field, value));
            assert.ok(isContracted(status, call), `${name} ${field} = ${value.slice(0, 60)} → ${status} ${text}`);
            if (status < 300) kept = await seen(call);
          }
          assert.equal(await seen(call), kept, `something of ${field} was refused, and changed it all the same`);
        }
      });
    }

    test('whole bodies of any JSON', async () => {
      const fields = [
        ...new Set(NAMES.flatMap((name) => Object.keys((OPERATIONS[name] as Operation).body!.noun.fields))),
      ];
      const body = fc.dictionary(
        fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...fields) }, { weight: 1, arbitrary: fc.string() }),
        fc.jsonValue({ maxDepth: 3 }),
        { maxKeys: 8 },
      );
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...NAMES), body, async (name, sent) => {
          const { status } = await send(name, calls[name]!, JSON.stringify(sent));
          assert.ok(isContracted(status, calls[name]!), `${name} → ${status}`);
        }),
        { seed: SEED, numRuns: 400, endOnFailure: true },
      );
    });

    test('__proto__ and constructor in a body reach nobody', async () => {
      const { owner, device } = station;
      const path = `/api/devices/${device}/gatewayReadings`;
      for (const raw of [
        '{"type":"temp","value":1,"__proto__":{"rssi":-1,"polluted":true}}',
        '{"type":"temp","value":1,"constructor":{"prototype":{"polluted":true}}}',
        '{"__proto__":{"type":"temp","value":1}}',
        '{"type":"temp","value":{"__proto__":{"polluted":true}}}',
        '{"type":"temp","value":1,"meta":{"__proto__":{"polluted":true}}}',
        '{"type":"temp","value":1,"meta":{"constructor":{"prototype":{"polluted":true}}}}',
      ]) {
        const { status, body } = await running.api('POST', path, { token: owner.token, raw, headers: JSON_TYPE });
        assert.ok([200, 400, 422].includes(status));
        if (status === 200) assert.equal(body.rssi, null);
      }
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      for (const raw of [
        '__proto__[admin]=true',
        'constructor[prototype][admin]=1',
        '__proto__=1&type=temp&value=1',
        'a[b][c][d]=1',
        '[]=1',
        '=1',
        '&&&',
        '%',
        'meta[__proto__]=1&type=x&value=1',
        'meta=1&meta[a]=2',
        'value[]=1&value[a]=2&type=x',
      ])
        assert.ok(
          CONTRACTED.includes((await running.api('POST', path, { token: owner.token, raw, headers: form })).status),
          raw,
        );
      assert.equal((await owner.get('/users')).status, 403, 'nobody became an admin');
      const made = await owner.make(`/devices/${device}/gatewayReadings`, { type: 'temp', value: {}, meta: {} });
      assert.deepEqual([made.value, made.meta, made.rssi], [{}, {}, null]);
    });

    test('repeated keys in JSON: the last counts, and the server lives', async () => {
      const { owner } = station;
      const raw = '{"name":"one","name":"two"}';
      const { body } = await running.api('POST', '/api/users/me/geofences', {
        token: owner.token,
        raw,
        headers: JSON_TYPE,
      });
      assert.equal(body.name, 'two');
    });

    test('bytes that are no UTF-8', async () => {
      const { owner } = station;
      const raw = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe, 0xc3, 0x28]), Buffer.from('"}')]);
      const { status } = await running.api('POST', '/api/users/me/geofences', {
        token: owner.token,
        raw,
        headers: JSON_TYPE,
      });
      assert.ok([200, 400, 422].includes(status));
    });

    test('after all of it the server is well', () => checkHealth(running, station));
  },
  {},
  startServer,
);
