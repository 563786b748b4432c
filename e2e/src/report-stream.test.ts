import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { onEitherEngine } from './harness/engines.ts';
import { makeStation, type Station } from './harness/station.ts';
import { type Frame, SocketClient } from './harness/web-socket.ts';

const PATH = '/ingest/stream';

onEitherEngine('the web socket of devices that report often', (running) => {
  let station: Station;
  const opened: SocketClient[] = [];
  let clock = Date.now() - 3_600_000;

  const connect = (headers: Record<string, string>, path = PATH) => {
    const client = new SocketClient(running.server.address, path, headers);
    opened.push(client);
    return client;
  };
  const fix = (lat: number) => {
    clock += 1000;
    return { timestamp: new Date(clock).toISOString(), location: { lat, lng: 8 }, accuracy: 5 };
  };
  const makeTracker = () => station.owner.client.createDevice({ body: { name: 'tracker' } });
  const trackOf = async (id: number) => {
    const points = await station.owner.client.listPoints({ id, filter: { limit: 1000 } });
    return points.map(({ location }) => location!.lat).sort();
  };
  const answersOf = async (client: SocketClient, count: number): Promise<Frame[]> => {
    await client.until(({ frames }) => frames.length >= count, `${count} answers`);
    return client.frames;
  };

  before(async () => {
    station = await makeStation(running.api);
  });
  after(() => {
    for (const client of opened) client.close();
  });

  test('stores each report, and answers it by its id as HTTP does', async () => {
    const { id, deviceKey } = await makeTracker();
    const client = await connect({ authorization: deviceKey }).opened();
    const report = { points: [fix(50)] };
    client.send({ id: 1, report });
    await answersOf(client, 1);
    assert.deepEqual(client.frames[0], {
      id: 1,
      status: 200,
      accepted: 1,
      duplicates: 0,
      quarantined: [],
      messages: [],
    });
    client.send({ id: 'again', report });
    await answersOf(client, 2);
    assert.deepEqual([client.frames[1]!.id, client.frames[1]!.duplicates], ['again', 1]);
    assert.deepEqual(await trackOf(id), [50]);
  });

  test('takes many at once, and none is lost', async () => {
    const { id, deviceKey } = await makeTracker();
    const client = await connect({}, `${PATH}?key=${deviceKey}`).opened();
    const numbers = Array.from({ length: 300 }, (_, index) => index);
    for (const number of numbers) client.send({ id: number, report: { points: [fix(40 + number / 100)] } });
    const answers = await answersOf(client, 300);
    assert.ok(answers.every(({ status }) => status === 200));
    assert.deepEqual(new Set(answers.map(({ id }) => id)), new Set(numbers));
    assert.equal((await trackOf(id)).length, 300);
  });

  test('brings messages, and takes their confirmation', async () => {
    const { id, deviceKey } = await makeTracker();
    const client = await connect({ authorization: `Bearer ${deviceKey}` }).opened();
    await station.owner.client.createMessage({ id, body: { message: 'hello' } });
    client.send({ id: 1, report: { points: [fix(50)] } });
    const [first] = await answersOf(client, 1);
    assert.equal(first!.messages[0].message, 'hello');
    client.send({ id: 2, report: { taken: { messages: [first!.messages[0].id] } } });
    const [, second] = await answersOf(client, 2);
    assert.deepEqual(second!.messages, []);
  });

  test('refuses what cannot be read by its id, and goes on', async () => {
    const { id, deviceKey } = await makeTracker();
    const client = await connect({ authorization: deviceKey }).opened();
    for (const frame of ['{', '[]', '{"id": {}}', { id: 4 }, { id: 5, report: [] }, { id: 6, report: { points: 1 } }])
      client.send(frame);
    client.send({ id: 7, report: { points: [fix(50)] } });
    const answers = await answersOf(client, 7);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400, 400, 400]);
    assert.equal(answers.find((answer) => answer.id === 4)!.error.message, 'report is required');
    assert.equal(answers.find((answer) => answer.id === 6)!.error.message, 'points must be a list');
    assert.deepEqual(await trackOf(id), [50]);
  });

  test('needs the key of a device, and a handshake', async () => {
    const refusedBy = async (headers: Record<string, string>) =>
      (await connect(headers).until(({ refused }) => refused !== undefined, 'a refusal')).refused!.status;
    assert.equal(await refusedBy({}), 401);
    assert.equal(await refusedBy({ authorization: 'no such key' }), 401);
    const { deviceKey } = await makeTracker();
    assert.equal((await running.api('GET', PATH, { token: deviceKey })).status, 426);
  });

  test('ends when the key is replaced', async () => {
    const { id, deviceKey } = await makeTracker();
    const client = await connect({ authorization: deviceKey }).opened();
    await station.owner.client.rotateDeviceKey({ id });
    client.send({ id: 1, report: { points: [fix(50)] } });
    await client.until(({ closed }) => closed !== undefined, 'the end');
    assert.equal(client.frames[0]!.status, 401);
    assert.deepEqual(client.closed, { code: 1008, reason: 'the key has ended' });
    assert.deepEqual(await trackOf(id), []);
  });

  test('a report that is too large ends the socket', async () => {
    const { deviceKey } = await makeTracker();
    const client = await connect({ authorization: deviceKey }).opened();
    client.send({ id: 1, report: { messages: [{ message: 'x'.repeat(1_100_000) }] } });
    await client.until(({ closed }) => closed !== undefined, 'the end');
    assert.equal(client.closed!.code, 1009);
  });
});
