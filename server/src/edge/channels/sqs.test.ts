import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { SendOutcome } from '../../platform/outbox/channel.ts';
import { sqsChannel } from './sqs.ts';
import { isAllowed, queueOf } from './sqs-outcome.ts';
import {
  type Behaviour,
  channelSuite,
  DEADLINE_MS,
  parcelOf,
  type Rig,
  SHORT_DEADLINE_MS,
  SLOW_MS,
  sendTo,
} from './testing/channel-suite.ts';
import { CREDENTIALS, type Passing, type SqsEnd, sqsEnd, wrong } from './testing/sqs-end.ts';

const JSON_TYPE = { 'content-type': 'application/x-amz-json-1.0' };

const entriesOf = ({ body }: Passing) => (JSON.parse(body.toString()) as { Entries: { Id: string }[] }).Entries;

const BEHAVIOURS: Record<Behaviour, ((passing: Passing) => unknown) | undefined> = {
  well: undefined,
  down: wrong(503, 'ServiceUnavailable'),
  silent: () => {},
  async slow({ pass, response }) {
    await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    const { status, text } = await pass();
    response.writeHead(status, JSON_TYPE).end(text);
  },
  refusing(passing) {
    const Failed = entriesOf(passing).map(({ Id }) => ({ Id, SenderFault: true, Code: 'InvalidMessageContents' }));
    passing.response.writeHead(200, JSON_TYPE).end(JSON.stringify({ Successful: [], Failed }));
  },
};

async function open(
  t: TestContext,
  deadlineMs = DEADLINE_MS,
  name = 'things',
  allow = '*',
): Promise<Rig & { readonly end: SqsEnd }> {
  const end = await sqsEnd(t);
  const target = await end.makeQueue(name);
  const channel = sqsChannel({ endpoint: end.endpoint, allow, credentials: CREDENTIALS, deadlineMs });
  t.after(() => channel.close());
  return {
    end,
    channel,
    destination: { id: 1, target, secrets: [] },
    address: null,
    behave: async (how) => end.gate(BEHAVIOURS[how]),
    // As a consumer would read it: escapes of JSON mean what they stand for.
    arrived: async () => (await end.take(name)).map(({ Body }) => normal(Body!)),
    secrets: [CREDENTIALS.secretAccessKey],
  };
}

const normal = (text: string) => (text.startsWith('{') ? JSON.stringify(JSON.parse(text)) : text);

channelSuite('sqs', open);
channelSuite('sqs that keeps order', (t, deadlineMs) => open(t, deadlineMs, 'things.fifo'));

const kindsOf = (outcomes: readonly SendOutcome[]) => outcomes.map(({ kind }) => kind);
const ten = () => Array.from({ length: 10 }, (_, i) => parcelOf(null, {}, `device-${i}`));
const isUnclear = (outcome: SendOutcome | undefined) => outcome?.kind === 'down' && outcome.isUnclear === true;

test('a queue that keeps order gets the group, and the id that identifies a repeat', async (t) => {
  const rig = await open(t, DEADLINE_MS, 'ordered.fifo');
  const [first, second] = [parcelOf(null, {}, 'device-7'), parcelOf(null, {}, 'device-7')];
  await sendTo(rig, [first]);
  // As after an answer that was lost.
  await sendTo(rig, [first]);
  await sendTo(rig, [second]);
  const messages = await rig.end.take('ordered.fifo');
  assert.deepEqual(
    messages.map(({ Body, Attributes }) => [
      normal(Body!),
      Attributes?.MessageGroupId,
      Attributes?.MessageDeduplicationId,
    ]),
    [first, second].map(({ content, messageId }) => [content.text, 'device-7', messageId]),
  );
  assert.equal(rig.channel.isOrdered('arn:aws:sqs:us-east-1:000000000000:ordered.fifo'), true);
  assert.equal(rig.channel.isOrdered('arn:aws:sqs:us-east-1:000000000000:things'), false);
});

test('of a batch that was taken in part, each entry has its own outcome', async (t) => {
  const rig = await open(t);
  const parcels = ten();
  rig.end.gate(async (passing) => {
    const { Entries, ...rest } = JSON.parse(passing.body.toString()) as { Entries: { Id: string }[] };
    assert.ok(rest);
    const { text } = await passing.pass();
    const answer = JSON.parse(text) as { Successful: { Id: string }[] };
    const kept = answer.Successful.filter(({ Id }) => Number(Id) > 3);
    const codes = [
      { SenderFault: true, Code: 'InvalidMessageContents', Message: 'bad characters' },
      { SenderFault: false, Code: 'InternalError', Message: 'try again' },
      { SenderFault: true, Code: 'KMS.ThrottlingException', Message: 'slowly' },
    ];
    const Failed = codes.map((code, i) => ({ Id: Entries[i]!.Id, ...code }));
    passing.response.writeHead(200, JSON_TYPE).end(JSON.stringify({ Successful: kept, Failed }));
  });
  const outcomes = await sendTo(rig, parcels);
  assert.deepEqual(kindsOf(outcomes), ['refused', 'down', 'down', 'down', ...new Array(6).fill('sent')]);
  assert.match((outcomes[0] as { reason: string }).reason, /InvalidMessageContents bad characters/);
  assert.deepEqual(outcomes.map(isUnclear), [false, false, false, true, ...new Array(6).fill(false)]);
});

test('a batch is at most ten, and at most 256 kB together; what is too large alone is refused', async (t) => {
  const rig = await open(t);
  const large = (kB: number) => parcelOf(null, { text: 'x'.repeat(kB * 1024) });
  const parcels = [large(100), large(100), large(100), large(256), large(257), ...ten(), ...ten()];
  const outcomes = await sendTo(rig, parcels);
  assert.deepEqual(
    kindsOf(outcomes),
    parcels.map((_, i) => (i === 4 ? 'refused' : 'sent')),
  );
  const sizes = rig.end.asked.map(({ body }) => (body.Entries as unknown[]).length);
  assert.deepEqual(sizes, [2, 1, 1, 10, 10]);
  assert.equal((await rig.arrived()).length, 24);
});

test('what a queue really refuses takes nobody along', async (t) => {
  const rig = await open(t);
  const parcels = [parcelOf(null), parcelOf(null, { text: 'a \uffff' }), parcelOf(null)];
  assert.deepEqual(kindsOf(await sendTo(rig, parcels)), ['sent', 'refused', 'sent']);
  // Where the service refuses the batch for one of it, the others go alone.
  rig.end.gate((passing) => {
    const bad = passing.body.includes('poison') || entriesOf(passing).length > 1;
    if (bad) return wrong(400, 'InvalidMessageContents')(passing);
    return BEHAVIOURS.slow!(passing);
  });
  const again = [parcelOf(null), parcelOf(null, { text: 'poison' }), parcelOf(null)];
  assert.deepEqual(kindsOf(await sendTo(rig, again)), ['sent', 'refused', 'sent']);
});

test('denied, throttled, unknown and failing queues are down, and clear where they are', async (t) => {
  const rig = await open(t);
  const cases: [status: number, code: string, words: RegExp, isUnclear: boolean][] = [
    [503, 'ServiceUnavailable', /does not accept messages at the moment \(503 ServiceUnavailable\)/, false],
    [500, 'InternalFailure', /does not accept messages at the moment/, true],
    [403, 'AccessDeniedException', /denies access: its policy/, false],
    [400, 'AccessDenied', /denies access/, false],
    [400, 'QueueDoesNotExist', /The queue does not exist/, false],
    [400, 'AWS.SimpleQueueService.NonExistentQueue', /The queue does not exist/, false],
    [403, 'InvalidClientTokenId', /rejects the server's credentials/, false],
    [403, 'SignatureDoesNotMatch', /rejects the server's credentials/, false],
    [400, 'RequestThrottled', /too many requests/, false],
    [429, 'ThrottlingException', /too many requests/, false],
    [400, 'SomethingNew', /does not accept messages at the moment/, false],
  ];
  for (const [status, code, words, unclear] of cases) {
    rig.end.gate(wrong(status, code, 'User: arn:aws:iam::1:user/x is not authorized', { 'retry-after': '7' }));
    const outcomes = await sendTo(rig, ten());
    for (const outcome of outcomes) {
      assert.equal(outcome.kind, 'down', code);
      assert.match((outcome as { reason: string }).reason, words);
      assert.equal(isUnclear(outcome), unclear, code);
    }
    assert.equal(rig.end.asked.length, 1, `${code}: the outbox retries, not the SDK`);
    rig.end.asked.length = 0;
  }
  assert.deepEqual(await rig.arrived(), []);
  rig.end.gate(undefined);
  const missing = { ...rig.destination, target: 'arn:aws:sqs:us-east-1:000000000000:nothing' };
  const [outcome] = await sendTo({ ...rig, destination: missing }, [parcelOf(null)]);
  assert.match((outcome as { reason: string }).reason, /The queue does not exist/);
});

test('an answer that is lost, cut off, never ends or is nonsense leaves it unclear', async (t) => {
  const rig = await open(t, SHORT_DEADLINE_MS);
  const losses: ((passing: Passing) => unknown)[] = [
    async ({ pass, response }) => {
      await pass();
      response.socket!.destroy();
    },
    async ({ pass, response }) => {
      const { text } = await pass();
      response.writeHead(200, { ...JSON_TYPE, 'content-length': text.length }).write(text.slice(0, 20));
    },
    async ({ pass, response }) => {
      await pass();
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
    },
  ];
  for (const loss of losses) {
    rig.end.gate(loss);
    const outcomes = await sendTo(rig, ten());
    assert.ok(outcomes.every(isUnclear), JSON.stringify(outcomes[0]));
    assert.equal((await rig.arrived()).length, 10, 'it did arrive');
  }
});

test('a server that is not there is down, clearly', async (t) => {
  const rig = await open(t);
  const channel = sqsChannel({
    endpoint: 'http://127.0.0.1:1',
    allow: '*',
    credentials: CREDENTIALS,
    deadlineMs: DEADLINE_MS,
  });
  t.after(() => channel.close());
  const [outcome] = await sendTo({ ...rig, channel }, [parcelOf(null)]);
  assert.deepEqual(outcome, { kind: 'down', reason: 'The queue cannot be reached (ECONNREFUSED).' });
});

test('requests go to the endpoint that is set, in the region of the ARN, and by the ARN alone', async (t) => {
  const rig = await open(t);
  const target = await rig.end.makeQueue('far', 'eu-central-1');
  await sendTo({ ...rig, destination: { ...rig.destination, target } }, [parcelOf(null)]);
  const { headers, body } = rig.end.asked[0]!;
  assert.match(headers.authorization!, /eu-central-1\/sqs/);
  assert.equal(`http://${headers.host}`, rig.end.endpoint);
  assert.equal(body.QueueUrl, `${rig.end.endpoint}/000000000000/far`);
  const url = (arn: string) => queueOf(arn, '')?.url;
  assert.equal(
    url('arn:aws:sqs:eu-west-1:123456789012:a.fifo'),
    'https://sqs.eu-west-1.amazonaws.com/123456789012/a.fifo',
  );
  assert.equal(
    url('arn:aws-cn:sqs:cn-north-1:123456789012:a'),
    'https://sqs.cn-north-1.amazonaws.com.cn/123456789012/a',
  );
  for (const bad of ['https://sqs.eu-west-1.amazonaws.com/1/a', 'arn:aws:sqs:e@evil.test/-1:123456789012:a', '']) {
    assert.equal(url(bad), undefined);
    const [outcome] = await sendTo({ ...rig, destination: { ...rig.destination, target: bad } }, [parcelOf(null)]);
    assert.equal(outcome!.kind, 'refused');
  }
});

test('only queues that the operator names are used', async (t) => {
  const rig = await open(
    t,
    DEADLINE_MS,
    'things',
    'arn:aws:sqs:*:111111111111:*, arn:aws:sqs:us-east-1:222222222222:a-*-z',
  );
  const [outcome] = await sendTo(rig, [parcelOf(null)]);
  assert.equal(outcome!.kind, 'unconfigured');
  assert.match((outcome as { reason: string }).reason, /TRACKWAY_SQS_ALLOW/);
  assert.deepEqual(rig.end.asked, []);
  const allowed = (arn: string) => isAllowed(arn, 'x:*:1:*, y:a-*-b-*-z ,z');
  for (const arn of ['x:any:1:q', 'x::1:', 'y:a-1-b-2-z', 'z']) assert.ok(allowed(arn), arn);
  for (const arn of ['x:any:2:q', 'y:a-b-z', 'y:a-1-b-z', 'zz', 'xx:any:1:q', '']) assert.ok(!allowed(arn), arn);
  assert.ok(isAllowed('anything', '*'));
  assert.ok(!isAllowed('anything', ''));
});

test('without credentials it says at once how to configure it', async (t) => {
  const rig = await open(t);
  const before = { ...process.env };
  t.after(() => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  });
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  // Nobody is asked, least of all the metadata service of a cloud.
  process.env.AWS_EC2_METADATA_DISABLED = 'true';
  process.env.AWS_SHARED_CREDENTIALS_FILE = '/nonexistent/credentials';
  process.env.AWS_CONFIG_FILE = '/nonexistent/config';
  const channel = sqsChannel({ endpoint: rig.end.endpoint, allow: '*', deadlineMs: DEADLINE_MS });
  t.after(() => channel.close());
  assert.deepEqual(await sendTo({ ...rig, channel }, [parcelOf(null)]), [
    { kind: 'unconfigured', reason: 'Queue forwarding is not set up on this server: it has no AWS credentials.' },
  ]);
  assert.deepEqual(rig.end.asked, []);
});
