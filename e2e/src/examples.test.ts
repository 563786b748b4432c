import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { exampleOf } from '@trackway/contract/examples/examples.ts';
import type { Operation } from '@trackway/contract/operation.ts';
import { BASES, OPERATIONS, type OperationName } from '@trackway/contract/operations.ts';
import { filledOf } from '../../server/src/edge/http/reference/model.ts';
import { type Described, operationsIn } from './from-document/requests.ts';
import { onEitherEngine } from './harness/engines.ts';
import { EXPECTED, OUTCOMES } from './permissions/expectations.ts';
import { type Request, requestFor } from './permissions/requests.ts';
import { makeWorld, type World } from './permissions/world.ts';

type Json = Record<string, unknown>;

/**
 * What only this server can know: the id of something that must exist, a name that is to be repeated, a secret. All else
 * is sent as the example has it.
 */
const OWN: Partial<Record<OperationName, readonly string[]>> = {
  login: ['username', 'password'],
  loginV2: ['username', 'password'],
  refreshToken: ['accessToken', 'refreshToken'],
  changePassword: ['oldPassword'],
  beginAuthenticator: ['password'],
  confirmAuthenticator: ['code'],
  confirmSignIn: ['password'],
  removeAuthenticator: ['password'],
  createRecoveryCodes: ['password', 'code'],
  beginPasskey: ['password'],
  createPasskey: ['response'],
  eraseDevice: ['name'],
  eraseUser: ['email', 'password'],
  changeTags: ['ids'],
  addDeviceGroupDevices: ['ids'],
  removeDeviceGroupDevices: ['ids'],
  vehicleSummary: ['deviceId'],
  vehicleActivity: ['deviceId'],
  signOnDriver: ['driverId'],
  createGroupLink: ['groupId'],
  getRtkCommand: ['messageId'],
  listTrails: ['deviceIds'],
  createPlanCredit: ['planId'],
  setDevicePlan: ['planId'],
  putPlanOfDevice: ['planId'],
  putPlanOfDevices: ['planId', 'deviceIdentifiers'],
  buyPlans: ['products'],
  claimDevice: ['serial'],
  approveDeviceIdentity: ['identifier'],
};

onEitherEngine(
  'examples of the reference',
  (running) => {
    let world: World;
    before(async () => {
      world = await makeWorld(running.api);
    });

    for (const version of ['v1', 'v2'] as const) {
      test(`every example of ${version} works`, async () => {
        const document = (await running.api('GET', `${BASES[version]}/openapi.json`)).body as Json;
        const described = new Map(operationsIn(document).map((one) => [one.operationId, one]));
        const rejected: string[] = [];
        const keys: string[] = [];
        for (const [name, operation] of Object.entries(OPERATIONS) as [OperationName, Operation][]) {
          if (!operation.versions.includes(version)) continue;
          const row = EXPECTED[name].own!;
          // Where a secret out of a mail is needed, or nothing is there yet, the form of the example is right all the same.
          const caller = row.admin === 'ok' || row.owner !== 'ok' ? 'admin' : 'owner';
          const made = await requestFor(world, name, caller, 'own', row[caller]);
          const headers = headersIn(described.get(name)!);
          if (headers['idempotency-key']) keys.push(headers['idempotency-key']);
          const { status, text } = await running.api(
            operation.method,
            BASES[version] + addressOf(name, operation, made),
            {
              token: made.token,
              body: bodyOf(name, described.get(name)!, made),
              headers: { ...headers, ...made.headers },
            },
          );
          const isFine = row[caller] === 'ok' ? status < 300 : status === OUTCOMES[row[caller]].status;
          if (!isFine) rejected.push(`${name}: ${status} ${text.slice(0, 300)}`);
        }
        assert.equal(new Set(keys).size, keys.length, 'every key is new');
        assert.deepEqual(rejected, []);
      });
    }

    test('every example of a report works', async () => {
      const { people } = world;
      const device = await running.api('POST', '/api/devices', { token: people.owner.token, body: { name: 'Van' } });
      const { deviceKey } = device.body;
      const document = (await running.api('GET', '/api/openapi.json')).body as Json;
      for (const operation of operationsIn(document)) {
        if (!/^report(By(Osmand|Owntracks|Overland))?$/.test(operation.operationId)) continue;
        const { body } = filledOf(operation.operationId, exampleIn(operation));
        const { status, text } = await running.api('POST', operation.path.replace('{key}', deviceKey), {
          token: deviceKey,
          body,
        });
        assert.equal(status, 200, `${operation.operationId}: ${text}`);
      }
      const kept = await running.api('GET', `/api/devices/${device.body.id}/points`, { token: people.owner.token });
      assert.equal(kept.body.length > 0, true);
      const aside = await running.api('GET', `/api/devices/${device.body.id}/quarantine`, {
        token: people.owner.token,
      });
      assert.deepEqual(aside.body, []);
    });
  },
  { TRACKWAY_MQTT_URL: 'mqtt://127.0.0.1:9' },
);

function headersIn({ parameters }: Described): Record<string, string> {
  const sent = parameters.filter((one) => one.in === 'header');
  return Object.fromEntries(sent.map(({ name, example }) => [name.toLowerCase(), String(example)]));
}

const exampleIn = ({ requestBody }: Described) =>
  (requestBody?.content['application/json'] as { example?: unknown } | undefined)?.example;

function bodyOf(name: OperationName, described: Described, made: Request): unknown {
  const example = exampleIn(described);
  if (example === undefined || Array.isArray(example)) return example;
  const own = (OWN[name] ?? []).map((field) => [field, (made.body as Json | undefined)?.[field]]);
  return { ...(example as Json), ...Object.fromEntries(own) };
}

/** The path of what was made for it, with the query of the example. */
function addressOf(name: OperationName, operation: Operation, { path }: Request): string {
  const [place, ownQuery] = path.split('?');
  const query = new URLSearchParams();
  for (const [field, value] of Object.entries(exampleOf(operation).query)) {
    // A list is repeated, but for a range of time.
    const values = Array.isArray(value) && field !== 'dateRange' ? value : [value];
    for (const one of values) query.append(field, typeof one === 'object' ? JSON.stringify(one) : String(one));
  }
  for (const [field, value] of new URLSearchParams(ownQuery)) if (OWN[name]?.includes(field)) query.set(field, value);
  return query.size === 0 ? place! : `${place}?${query}`;
}
