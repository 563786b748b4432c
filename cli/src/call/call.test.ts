import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { OPERATIONS, parametersOf } from '@trackway/contract/operations.ts';
import { ADMIN, asAdmin, serve, tempFolder, trackway } from '../testing/trackway.ts';

test('operations are called by name', async (t) => {
  const { address } = await serve(t, asAdmin);
  const atServer = (words: string[], token = '', input = '') =>
    trackway(['call', ...words], { env: { TRACKWAY_URL: address, TRACKWAY_TOKEN: token }, input });
  const login = await atServer(['login', '--body', JSON.stringify(ADMIN)]);
  assert.equal(login.code, 0, login.err);
  const { id: token } = JSON.parse(login.out);
  assert.ok(login.out.includes('\n  "ttl": 1209600,\n'), 'pretty');

  const file = join(await tempFolder(), 'device.json');
  await writeFile(file, '{"name": "van"}');
  const device = await atServer(['createDevice', '--body', `@${file}`], token);
  assert.equal(JSON.parse(device.out).name, 'van');
  const id = String(JSON.parse(device.out).id);
  const reading = await atServer(
    ['createGatewayReading', '--id', id, '--body', '-'],
    token,
    '{"type":"temp","value":7}',
  );
  const fk = String(JSON.parse(reading.out).id);
  const read = await atServer(['getGatewayReading', '--fk', fk, '--id', id], token);
  assert.equal(JSON.parse(read.out).value, 7);
  const fence = await atServer(['createGeofence', '--id', 'me', '--body', '{"name":"Yard"}'], token);
  assert.equal(JSON.parse(fence.out).userId, 1);
  const listed = await atServer(
    ['listGeofences', '--id', 'me', '--filter', '{"where":{"name":"Yard"},"limit":1}'],
    token,
  );
  assert.equal(JSON.parse(listed.out).length, 1);
  const counted = await atServer(['countGeofences', '--id', 'me', '--where', '{"name":"Other"}'], token);
  assert.deepEqual(JSON.parse(counted.out), { count: 0 });
  const summary = await atServer(['summarizePlans', '--userid', 'me', '--consumed', 'true', '--api', 'v2'], token);
  assert.deepEqual(JSON.parse(summary.out), []);
  assert.deepEqual(await atServer(['deleteGatewayReading', '--id', id, '--fk', fk], token), {
    code: 0,
    out: '',
    err: '',
  });

  const gone = await atServer(['getGatewayReading', '--id', id, '--fk', fk], token);
  assert.deepEqual(gone, { code: 1, out: '', err: `404: No instance with id ${fk} found for gatewayReading\n` });
  const wrong = await atServer(['createGeofence', '--id', 'me', '--body', '{"radius":-1}'], token);
  assert.equal(wrong.code, 1);
  assert.match(wrong.err, /^422: The `geofence` instance is not valid[\s\S]+"range"/);
  const nobody = await trackway(['call', 'listDevices', '--url', address]);
  assert.equal(nobody.code, 1);
  assert.match(nobody.err, /^401 AUTHORIZATION_REQUIRED: .+\nSet a token with --token or TRACKWAY_TOKEN/);
});

test('invalid arguments are rejected before anything is sent', async () => {
  const refused: [words: string[], sentence: RegExp][] = [
    [['listGeofence', '--id', 'me'], /^Unknown operation "listGeofence"\. Did you mean listGeofences\?/],
    [['listGeofence'], /^Unknown operation "listGeofence"\. Did you mean listGeofences\?/],
    [[], /^Specify an operation/],
    [['getGatewayReading', '--id', '5'], /^Missing required flag: --fk\./],
    [['listDevices', '--filtre', '{}'], /^Unknown flag --filtre\. Did you mean --filter\?/],
    [['listDevices', '--filter', '{'], /^--filter is not valid JSON/],
    [['createDevice', '--body', '@/nowhere/device.json'], /^Cannot read the file \/nowhere\/device\.json: /],
    [['getDevice', '--id', '1', '--body', '{}'], /^Unknown flag --body\./],
    [['listDevices', '--url', 'localhost'], /^The server URL must look like/],
  ];
  for (const [words, sentence] of refused) {
    const { code, err } = await trackway(['call', ...words]);
    assert.equal(code, 2, words.join(' '));
    assert.match(err, sentence);
  }
});

test('a server that cannot be reached is named, with how to name another', async () => {
  const { code, err } = await trackway(['call', 'listPlans', '--url', 'http://127.0.0.1:1']);
  assert.equal(code, 1);
  assert.match(
    err,
    /^Cannot reach Trackway at http:\/\/127\.0\.0\.1:1: .+\. To name another server, use --url or TRACKWAY_URL\.\n$/,
  );
});

test('every operation is listed, and its help shows the contract', async () => {
  const { out } = await trackway(['call', '--list']);
  const lines = out.trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => line.trim().split(/ {2,}/)[0]),
    Object.keys(OPERATIONS),
  );
  const help = await trackway(['call', 'updateGatewayReading', '--help']);
  assert.equal(help.code, 0);
  assert.match(help.out, /PUT \/api\/devices\/\{id\}\/gatewayReadings\/\{fk\}/);
  for (const name of parametersOf(OPERATIONS.updateGatewayReading)) assert.ok(help.out.includes(`--${name} ID`));
  assert.match(help.out, /rssi: number +Signal strength in dBm\./);
  assert.doesNotMatch(help.out, /created: /, 'what the service sets is no field of the body');
});
