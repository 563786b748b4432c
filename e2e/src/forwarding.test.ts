import assert from 'node:assert/strict';
import test, { before, beforeEach } from 'node:test';
import { onEitherEngine } from './harness/engines.ts';
import { makeStation, type Station } from './harness/station.ts';

const ARN = 'arn:aws:sqs:eu-west-1:123456789012:queue';
const OTHER_ARN = 'arn:aws:sqs:us-east-1:210987654321:other.fifo';

/** Operation 2: GET /devices/{id}/setupSqsForwarding, a GET that changes something. */
onEitherEngine('queue forwarding', (running) => {
  let station: Station;
  let device: number;
  let path: string;
  before(async () => {
    station = await makeStation(running.api);
  });
  beforeEach(async () => {
    device = (await station.owner.make('/devices', {})).id;
    path = `/devices/${device}/setupSqsForwarding`;
  });
  const setUp = (query: Record<string, string>) => station.owner.get(`${path}?${new URLSearchParams(query)}`);
  const forwarders = async () => (await station.owner.get(`/devices/${device}/forwarders`)).body;

  test('answers {"status": "ok"} and keeps one forwarder, of newLoc and newReading by default', async () => {
    const { status, body, headers } = await setUp({ sqsArn: ARN });
    assert.equal(status, 200);
    assert.deepEqual(body, { status: 'ok' });
    assert.equal(headers['cache-control'], 'no-store');
    const [forwarder, ...others] = await forwarders();
    assert.deepEqual(others, []);
    assert.equal(forwarder.target, ARN);
    assert.deepEqual(forwarder.types, ['newLoc', 'newReading']);
    assert.equal(forwarder.deviceId, device);
    assert.equal(forwarder.userId, station.owner.id);
  });

  test('takes types as a JSON array or a comma list', async () => {
    for (const types of [
      '["newMsg","notification"]',
      'newMsg,notification',
      'newMsg, notification',
      'notification,newMsg',
    ]) {
      await setUp({ sqsArn: '' });
      assert.deepEqual((await setUp({ sqsArn: ARN, types })).body, { status: 'ok' });
      assert.deepEqual((await forwarders())[0].types.toSorted(), ['newMsg', 'notification'], types);
    }
  });

  test('the same call twice changes nothing; another ARN or other types replace', async () => {
    await setUp({ sqsArn: ARN });
    const first = await forwarders();
    assert.deepEqual((await setUp({ sqsArn: ARN })).body, { status: 'ok' });
    assert.deepEqual(await forwarders(), first);
    await setUp({ sqsArn: ARN, types: 'newMsg' });
    assert.deepEqual(
      (await forwarders()).map((one: { types: string[] }) => one.types),
      [['newMsg']],
    );
    await setUp({ sqsArn: OTHER_ARN, types: 'newMsg' });
    assert.deepEqual(
      (await forwarders()).map((one: { target: string }) => one.target),
      [OTHER_ARN],
    );
  });

  test('an empty ARN switches it off; without an ARN nothing changes', async () => {
    assert.deepEqual((await setUp({})).body, { status: 'off' });
    await setUp({ sqsArn: ARN });
    assert.deepEqual((await setUp({})).body, { status: 'ok' });
    assert.deepEqual((await setUp({ types: 'newMsg' })).body, { status: 'ok' });
    assert.deepEqual((await forwarders())[0].types, ['newLoc', 'newReading']);
    assert.deepEqual((await setUp({ sqsArn: '' })).body, { status: 'off' });
    assert.deepEqual(await forwarders(), []);
    assert.deepEqual((await setUp({ sqsArn: '' })).body, { status: 'off' });
  });

  test('takes every partition and fifo queues, and nothing that only looks like an ARN', async () => {
    for (const good of [
      ARN,
      OTHER_ARN,
      'arn:aws-cn:sqs:cn-north-1:123456789012:q',
      'arn:aws-us-gov:sqs:us-gov-west-1:123456789012:q_-9',
    ])
      assert.equal((await setUp({ sqsArn: good })).status, 200, good);
    await setUp({ sqsArn: ARN });
    const before = await forwarders();
    for (const bad of [
      'https://sqs.eu-west-1.amazonaws.com/123456789012/queue',
      'http://127.0.0.1/123456789012/queue',
      'queue',
      'arn:aws:sns:eu-west-1:123456789012:topic',
      'arn:aws:sqs:eu-west-1:12345678901:queue',
      'arn:aws:sqs:eu-west-1:1234567890123:queue',
      'arn:aws:sqs::123456789012:queue',
      'arn:aws:sqs:eu-west-1:123456789012:',
      'arn:aws:sqs:eu-west-1:123456789012:queue/../x',
      'arn:aws:sqs:eu-west-1:123456789012:queue.fifo.fifo',
      'arn:evil:sqs:eu-west-1:123456789012:queue',
      `arn:aws:sqs:eu-west-1:123456789012:${'q'.repeat(81)}`,
      ` ${ARN}`,
      `${ARN}\n`,
      'ARN:AWS:SQS:EU-WEST-1:123456789012:QUEUE',
    ]) {
      const { status, body } = await setUp({ sqsArn: bad });
      assert.equal(status, 422, bad);
      assert.deepEqual(Object.keys(body.error.details.codes), ['sqsArn']);
    }
    for (const types of [
      'newStuff',
      '["newLoc","x"]',
      '[',
      '[]',
      '[1]',
      '[null]',
      '[["newLoc"]]',
      '{"a":1}',
      '__proto__',
      'constructor',
    ]) {
      const { status, body } = await setUp({ sqsArn: ARN, types });
      assert.equal(status, 422, types);
      assert.deepEqual(Object.keys(body.error.details.codes), ['types']);
    }
    assert.equal((await setUp({ types: 'newStuff' })).status, 422, 'a bad type is refused without an ARN too');
    assert.deepEqual(await forwarders(), before, 'refused calls changed nothing');
  });

  test('takes a token from a header only, since addresses are prefetched and remembered', async () => {
    const { owner } = station;
    const address = `/api${path}?${new URLSearchParams({ sqsArn: ARN, access_token: owner.token })}`;
    assert.equal((await running.api('GET', address)).status, 401);
    assert.deepEqual(await forwarders(), []);
    for (const headers of [
      { authorization: owner.token },
      { authorization: `Bearer ${owner.token}` },
      { 'x-access-token': owner.token },
    ])
      assert.equal((await running.api('GET', `/api${path}?sqsArn=${ARN}`, { headers })).status, 200);
  });

  test('HEAD changes nothing, and neither does a preflight', async () => {
    const { token } = station.owner;
    for (const method of ['HEAD', 'OPTIONS']) await running.api(method, `/api${path}?sqsArn=${ARN}`, { token });
    assert.deepEqual(await forwarders(), []);
    await setUp({ sqsArn: ARN });
    for (const method of ['HEAD', 'OPTIONS']) await running.api(method, `/api${path}?sqsArn=`, { token });
    assert.equal((await forwarders()).length, 1);
  });

  test('prefetches change nothing', async () => {
    const { token } = station.owner;
    for (const headers of [
      { purpose: 'prefetch' },
      { 'sec-purpose': 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { 'x-moz': 'prefetch' },
    ]) {
      await running.api('GET', `/api${path}?sqsArn=${ARN}`, { token, headers });
      assert.deepEqual(await forwarders(), [], JSON.stringify(headers));
    }
  });

  test('POST does the same with a JSON body', async () => {
    const { owner } = station;
    assert.deepEqual((await owner.post(path, {})).body, { status: 'off' });
    assert.deepEqual((await owner.post(path, { sqsArn: ARN, types: ['newMsg'] })).body, { status: 'ok' });
    assert.deepEqual((await forwarders())[0].types, ['newMsg']);
    assert.deepEqual((await owner.post(path, { sqsArn: ARN, types: 'newLoc,newMsg' })).body, { status: 'ok' });
    assert.equal((await forwarders()).length, 1);
    assert.equal((await owner.post(path, { sqsArn: 'nonsense' })).status, 422);
    assert.equal((await owner.post(path, { sqsArn: ARN, types: ['x'] })).status, 422);
    assert.equal((await owner.post(path, { sqsArn: ARN, types: [] })).status, 422);
    assert.deepEqual((await setUp({})).body, { status: 'ok' }, 'both ways return the same forwarder');
    assert.deepEqual((await owner.post(path, { sqsArn: '' })).body, { status: 'off' });
    assert.deepEqual(await forwarders(), []);
  });

  test('repeated parameters are refused', async () => {
    const twice = await station.owner.get(`${path}?sqsArn=${ARN}&sqsArn=${OTHER_ARN}`);
    assert.equal(twice.status, 400);
    assert.match(twice.body.error.message, /sqsArn/);
    assert.deepEqual(await forwarders(), []);
  });

  test('several at once leave one forwarder', async () => {
    const calls = Array.from({ length: 8 }, (_, n) => setUp({ sqsArn: `${ARN}-${n}` }));
    for (const { status } of await Promise.all(calls)) assert.equal(status, 200);
    assert.equal((await forwarders()).length, 1);
  });
});
