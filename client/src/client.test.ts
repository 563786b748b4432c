import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { OPERATIONS } from '@trackway/contract/operations.ts';
import { ApiError } from './api-error.ts';
import { createClient } from './client.ts';

/** Checks what the client sends, as seen by a plain HTTP server; the tests of the command line use the real server. */

interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let requests: ReceivedRequest[] = [];
let answer: (response: ServerResponse) => void;
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  requests.push({ method: request.method!, url: request.url!, headers: request.headers, body });
  answer(response);
});
let url: string;

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

function willAnswer(status: number, body?: unknown, headers: Record<string, string> = {}): void {
  requests = [];
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  answer = (response) => response.writeHead(status, headers).end(text);
}

async function refusal(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => assert.fail('it was not refused'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof ApiError, String(error));
  return error;
}

test('every operation of the contract is a method', () => {
  assert.deepEqual(Object.keys(createClient({ url })), Object.keys(OPERATIONS));
});

test('path parameters, query and body are sent as the contract defines', async () => {
  const client = createClient({ url: `${url}/`, token: 'abc' });
  willAnswer(200, { id: 501 });
  assert.deepEqual(await client.updateGatewayReading({ id: 5, fk: 501, body: { rssi: -60 } }), { id: 501 });
  assert.equal(`${requests[0]!.method} ${requests[0]!.url}`, 'PUT /api/devices/5/gatewayReadings/501');
  assert.equal(requests[0]!.headers.authorization, 'abc');
  assert.equal(requests[0]!.headers['content-type'], 'application/json');
  assert.equal(requests[0]!.body, '{"rssi":-60}');

  willAnswer(200, { status: 'ok' });
  await client.setupSqsForwarding({
    id: 5,
    sqsArn: 'arn:aws:sqs:eu-west-1:123456789012:q',
    types: ['newLoc', 'newMsg'],
  });
  const asked = new URL(requests[0]!.url, url).searchParams;
  assert.deepEqual(asked.getAll('types'), ['newLoc', 'newMsg']);
  assert.equal(asked.get('sqsArn'), 'arn:aws:sqs:eu-west-1:123456789012:q');
  assert.equal(requests[0]!.headers['content-type'], undefined);
});

test('filter and where are sent as JSON', async () => {
  const client = createClient({ url, token: 'abc' });
  willAnswer(200, []);
  const filter = { where: { name: { like: '50%&?#' } }, limit: 1 };
  await client.listGeofences({ id: 'me', filter });
  const address = new URL(requests[0]!.url, url);
  assert.equal(address.pathname, '/api/users/me/geofences');
  assert.deepEqual(JSON.parse(address.searchParams.get('filter')!), filter);
  willAnswer(200, { count: 0 });
  await client.countGeofences({ id: 'me', where: { type: 'safe' } });
  assert.equal(new URL(requests[0]!.url, url).searchParams.get('where'), '{"type":"safe"}');
});

test('an operation is called in its first version unless another is given', async () => {
  const client = createClient({ url, token: 'abc' });
  willAnswer(200, []);
  await client.summarizePlans({ userid: 'me', consumed: false });
  await client.summarizePlans({ userid: 'me' }, { version: 'v2' });
  await client.summarizeOwnPlans();
  assert.deepEqual(
    requests.map((request) => request.url),
    ['/api/users/me/plans/summary?consumed=false', '/v2/users/me/plans/summary', '/v2/users/plans/summary'],
  );
});

test('an id is escaped in the path and is required', async () => {
  const client = createClient({ url });
  willAnswer(200, {});
  await client.getDevice({ id: '../users?x=1' });
  assert.equal(requests[0]!.url, '/api/devices/..%2Fusers%3Fx%3D1');
  await assert.rejects(client.deletePoint({ id: 5, fk: undefined as never }), /fk is required: DELETE/);
  assert.equal(requests.length, 1);
});

test('the token is read for each call, and not sent to public operations', async () => {
  let token: string | undefined;
  const client = createClient({ url, token: () => token });
  willAnswer(200, {});
  await client.listPlans();
  token = 'now';
  await client.listPlans();
  await client.login({ body: { username: 'a', password: 'b' } });
  assert.deepEqual(
    requests.map((request) => request.headers.authorization),
    [undefined, 'now', undefined],
  );
});

test('a response without a body is undefined', async () => {
  willAnswer(204);
  assert.equal(await createClient({ url }).deleteDevice({ id: 1 }), undefined);
});

test('an error of version 1 has name, code and details', async () => {
  const details = { context: 'geofence', codes: { radius: ['range'] } };
  willAnswer(422, { error: { statusCode: 422, name: 'ValidationError', message: 'not valid', code: 'X', details } });
  const error = await refusal(createClient({ url }).createGeofence({ id: 'me' }));
  assert.deepEqual(
    [error.status, error.name, error.message, error.code, error.details],
    [422, 'ValidationError', 'not valid', 'X', details],
  );
});

test('an error of version 2, or of a proxy, is an ApiError too', async () => {
  willAnswer(404, { code: 404, message: 'not here' });
  const plain = await refusal(createClient({ url }).summarizeOwnPlans());
  assert.deepEqual([plain.status, plain.message, plain.code, plain.name], [404, 'not here', undefined, 'Error']);
  willAnswer(502, '<html>proxy</html>');
  assert.equal((await refusal(createClient({ url }).listPlans())).message, '502 Bad Gateway');
});

test('an error has the id of its request, and one of status 429 the time to wait', async () => {
  const headers = { 'retry-after': '17', 'x-request-id': 'abc-1' };
  willAnswer(429, { error: { statusCode: 429, name: 'Error', message: 'later' } }, headers);
  const { retryAfter, requestId } = await refusal(createClient({ url }).listPlans());
  assert.deepEqual([retryAfter, requestId], [17, 'abc-1']);
});

test('a call ends at its timeout or when aborted', async () => {
  answer = () => {};
  await assert.rejects(createClient({ url, timeoutMs: 20 }).listPlans(), { name: 'TimeoutError' });
  await assert.rejects(createClient({ url }).listPlans({}, { timeoutMs: 20 }), { name: 'TimeoutError' });
  const aborting = new AbortController();
  answer = () => aborting.abort();
  await assert.rejects(createClient({ url }).listPlans({}, { signal: aborting.signal }), { name: 'AbortError' });
});
