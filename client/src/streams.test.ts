import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { createClient, isApiError, listEntries, liveEvents, pageEntries, textLines } from './index.ts';

/** Answers in turn; the last one stays. */
let answers: ((response: ServerResponse, request: IncomingMessage) => void)[] = [];
let requests: IncomingMessage[] = [];
const server = createServer(async (request, response) => {
  for await (const _ of request) {
  }
  requests.push(request);
  (answers.length > 1 ? answers.shift()! : answers[0]!)(response, request);
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

function willAnswer(...each: typeof answers): void {
  requests = [];
  answers = each;
}
const json =
  (status: number, body: unknown, headers = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end(JSON.stringify(body));
const busy = json(429, { error: { message: 'later' } }, { 'retry-after': '0' });

test('a call is repeated while the reason passes, a POST with one key', async () => {
  const client = createClient({ url, retries: 2 });
  willAnswer((response) => response.destroy(), busy, json(200, { id: 1 }));
  assert.deepEqual(await client.createDevice({ body: { name: 'van' } }), { id: 1 });
  const keys = requests.map(({ headers }) => headers['idempotency-key']);
  assert.equal(keys.length, 3);
  assert.ok(keys[0] && keys.every((key) => key === keys[0]));

  willAnswer(busy, json(200, []));
  await client.listPlans();
  assert.deepEqual(
    requests.map(({ headers }) => headers['idempotency-key']),
    [undefined, undefined],
  );
  willAnswer(busy);
  await assert.rejects(client.listPlans(), (error) => isApiError(error, 429));
  assert.equal(requests.length, 3);
});

test('a permanent failure, or a call that is not idempotent, is not repeated', async () => {
  const client = createClient({ url, retries: 5 });
  willAnswer(json(404, { error: { message: 'no', code: 'MODEL_NOT_FOUND' } }));
  await assert.rejects(client.getDevice({ id: 1 }), (error) => isApiError(error, 'MODEL_NOT_FOUND'));
  assert.equal(requests.length, 1);
  willAnswer(busy);
  await assert.rejects(client.login({ body: { email: 'a', password: 'b' } }), (error) => isApiError(error));
  assert.equal(requests.length, 1, 'a log-in has no key');
  const stopping = new AbortController();
  willAnswer((response) => {
    json(503, {})(response);
    stopping.abort();
  });
  await assert.rejects(client.listPlans({}, { signal: stopping.signal }), { name: 'AbortError' });
  assert.equal(requests.length, 1);
});

test('lists are read to their end, a piece at a time', async () => {
  const client = createClient({ url });
  const all = Array.from({ length: 7 }, (_, id) => ({ id }));
  willAnswer((response, request) => {
    const { skip, limit, after } = JSON.parse(new URL(request.url!, url).searchParams.get('filter')!);
    const from = after === undefined ? skip : all.findIndex(({ id }) => id > after.id);
    json(200, from < 0 ? [] : all.slice(from, from + limit))(response);
  });
  const list = (filter: object) => client.listDevices({ filter });
  assert.equal((await Array.fromAsync(listEntries(list, {}, 3))).length, 7);
  assert.equal(requests.length, 3);
  // One that was there already goes away while the list is read.
  const shrinking = listEntries(list, {}, 3);
  for (let n = 0; n < 3; n++) await shrinking.next();
  all.shift();
  assert.deepEqual(
    (await Array.fromAsync(shrinking)).map(({ id }) => id),
    [3, 4, 5, 6],
  );
  all.unshift({ id: 0 });
  assert.deepEqual(
    (await Array.fromAsync(listEntries(list, { skip: 1, limit: 4 }, 3))).map(({ id }) => id),
    [1, 2, 3, 4],
  );
  const pages = [['a', 'b'], ['c']];
  const page = async ({ _page }: { _page: number }) => ({ data: pages[_page - 1] ?? [], totalPages: 2 });
  assert.deepEqual(await Array.fromAsync(pageEntries(page, 2)), ['a', 'b', 'c']);
});

test('live events come in order, over broken connections, without a gap', async () => {
  const reported = (text: string) => (response: ServerResponse) => response.writeHead(200).write(text);
  willAnswer(
    (response) => {
      reported(': \nid: 6\n\n')(response);
      response.end();
    },
    (response) => {
      reported('id: 7\nevent: position\ndata: {"a":1}\n\nid: 8\nevent: reading\ndata: {"b"')(response);
      setImmediate(() => response.destroy());
    },
    busy,
    reported('id: 8\nevent: reading\ndata: {"b":2}\n\n'),
  );
  const stopping = new AbortController();
  const onEventId = [];
  for await (const { event, id, data } of liveEvents(
    { url, token: 'abc' },
    { devices: [1, 2], signal: stopping.signal },
  )) {
    onEventId.push([event, id, data]);
    if (onEventId.length === 2) stopping.abort();
  }
  assert.deepEqual(onEventId, [
    ['position', '7', { a: 1 }],
    ['reading', '8', { b: 2 }],
  ]);
  const asked = requests.map(({ url: path }) => new URL(path!, url).searchParams);
  assert.deepEqual(
    asked.map((query) => [query.get('devices'), query.get('lastEventId')]),
    [
      ['1,2', null],
      ['1,2', '6'],
      ['1,2', '7'],
      ['1,2', '7'],
    ],
  );
  assert.equal(requests[0]!.headers.authorization, 'abc');
});

test('a stream that falls silent is opened again, and one that is refused rejects', async () => {
  const event = 'id: 1\nevent: device\ndata: {"id":1}\n\n';
  willAnswer(
    (response) => void response.writeHead(200).flushHeaders(),
    (response) => void response.writeHead(200).write(event),
  );
  for await (const { data } of liveEvents({ url }, { silenceMs: 20 })) {
    assert.deepEqual(data, { id: 1 });
    break;
  }
  assert.equal(requests.length, 2);
  willAnswer(json(401, { error: { message: 'no', code: 'AUTHORIZATION_REQUIRED' } }));
  await assert.rejects(liveEvents({ url }).next(), (error) => isApiError(error, 'AUTHORIZATION_REQUIRED'));
});

test('an export comes line by line, or as one text', async () => {
  willAnswer((response) => {
    response.writeHead(200).write('one\ntw');
    response.end('o\nthree');
  });
  const input = { id: 1, format: 'csv' } as const;
  assert.deepEqual(await Array.fromAsync(textLines({ url }, 'exportTrack', input)), ['one', 'two', 'three']);
  assert.equal(await createClient({ url }).exportTrack(input), 'one\ntwo\nthree');
});
