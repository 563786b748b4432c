import assert from 'node:assert/strict';
import test from 'node:test';
import { addressOf, type Called, samplesOf } from './samples.js';

const LIST: Called = {
  name: 'listPoints',
  kind: 'call',
  method: 'GET',
  path: '/api/devices/{id}/points',
  auth: 'token',
  isInClient: true,
  parameters: [
    { name: 'id', place: 'path', kind: 'number' },
    { name: 'filter', place: 'query', kind: 'json' },
    { name: 'types', place: 'query', kind: 'list' },
    { name: 'Idempotency-Key', place: 'header', kind: 'text' },
  ],
};
const ORIGIN = 'https://track.example.com';

test('a request is made of the values that are given', () => {
  const values = { id: '7/x', filter: { where: { name: "Ada's" } }, types: ['a', 'b'] };
  assert.equal(
    addressOf(LIST, { values }),
    '/api/devices/7%2Fx/points?filter=%7B%22where%22%3A%7B%22name%22%3A%22Ada%27s%22%7D%7D&types=a&types=b',
  );
  assert.equal(addressOf(LIST, { values: { id: 7 } }), '/api/devices/7/points');
});

test('a read as code, with its query as people write it', () => {
  const { curl, typescript, python } = samplesOf(
    LIST,
    { values: { id: 7, filter: { where: { name: "Ada's" } } } },
    ORIGIN,
  );
  assert.equal(
    curl,
    `curl -sG 'https://track.example.com/api/devices/7/points' \\
  -H "Authorization: $TRACKWAY_TOKEN" \\
  --data-urlencode 'filter={"where":{"name":"Ada'\\''s"}}'`,
  );
  assert.equal(
    typescript,
    `import { createClient } from '@trackway/client';

const client = createClient({ url: 'https://track.example.com', token: process.env.TRACKWAY_TOKEN });
const answer = await client.listPoints({ id: 7, filter: { where: { name: 'Ada\\'s' } } });
console.log(answer);`,
  );
  assert.match(python, /params=\{"filter": "\{\\"where\\":\{\\"name\\":\\"Ada's\\"\}\}"\},/);
});

test('a body as code', () => {
  const create: Called = { ...LIST, name: 'createPoint', method: 'POST', parameters: LIST.parameters.slice(0, 1) };
  const body = {
    location: { lat: 51.5, lng: -0.1 },
    isValid: true,
    note: null,
    'odd key': 'a long text that makes the body longer',
  };
  const { curl, typescript, python } = samplesOf(create, { values: { id: 7 }, body }, ORIGIN);
  assert.doesNotMatch(curl, /-X/);
  assert.deepEqual(JSON.parse(/-d '([\s\S]+)'$/.exec(curl)![1]!), body);
  assert.match(typescript, /'odd key': 'a long text/);
  assert.match(python, /"isValid": True,\n {8}"note": None,/);
  assert.match(samplesOf({ ...create, method: 'PUT' }, { values: { id: 7 }, body }, ORIGIN).curl, /^curl -s -X PUT /);
});

test('what a device sends has the key of the device, and is no matter of the client', () => {
  const report: Called = {
    ...LIST,
    name: 'report',
    method: 'POST',
    path: '/ingest/reports',
    auth: 'deviceKey',
    isInClient: false,
  };
  const { curl, typescript, python } = samplesOf(report, { values: {}, body: { points: [] } }, ORIGIN);
  assert.match(curl, /-H "Authorization: \$DEVICE_KEY"/);
  assert.match(typescript, /await fetch\('https:\/\/track\.example\.com\/ingest\/reports', \{\n {2}method: 'POST',/);
  assert.match(typescript, /authorization: process\.env\.DEVICE_KEY!/);
  assert.match(python, /os\.environ\["DEVICE_KEY"\]/);
});

test('what needs no token names none', () => {
  const { curl, typescript, python } = samplesOf({ ...LIST, auth: 'none' }, { values: { id: 7 } }, ORIGIN);
  for (const code of [curl, typescript, python]) assert.doesNotMatch(code, /token|authorization/i);
});
