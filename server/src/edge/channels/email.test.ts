import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { type SendOutcome, sealContent } from '../../platform/outbox/channel.ts';
import { createVault, newKey, type Vault } from '../../platform/vault.ts';
import { testVault } from '../../testing/vault.ts';
import { emailChannel } from './email.ts';
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

const PASSWORD = 'the-password-of-the-mail-server';
const READER = 'reader@example.test';

interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
}

const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode });

interface SmtpEnd {
  readonly url: string;
  readonly mails: Mail[];
  /** What the server says at a step; undefined takes everything. */
  answers: Partial<Record<'connect' | 'auth' | 'from' | 'to' | 'data', Error | 'never' | 'late'>>;
  connections(): number;
  endConnections(): void;
}

async function smtpEnd(t: TestContext): Promise<SmtpEnd> {
  const mails: Mail[] = [];
  let connections = 0;
  const step = (answer: Error | 'never' | 'late' | undefined, done: (error?: Error | null) => void) => {
    if (answer === 'never') return;
    if (answer === 'late') setTimeout(done, SLOW_MS);
    else done(answer);
  };
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onConnect(_session, done) {
      connections++;
      step(end.answers.connect, done);
    },
    onAuth({ username, password }, _session, done) {
      const wrong = username !== 'robot' || password !== PASSWORD ? refusal(535, 'Wrong') : end.answers.auth;
      step(wrong, (error) => done(error ?? null, { user: username }));
    },
    onMailFrom: (_address, _session, done) => step(end.answers.from, done),
    onRcptTo: (_address, _session, done) => step(end.answers.to, done),
    async onData(stream, { envelope }, done) {
      const raw = Buffer.concat(await stream.toArray()).toString();
      step(end.answers.data, (error) => {
        if (error) return done(error);
        const { mailFrom, rcptTo } = envelope;
        mails.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address), raw });
        done();
      });
    },
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  t.after(() => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    end.endConnections();
    return closed;
  });
  const { port } = server.server.address() as AddressInfo;
  const end: SmtpEnd = {
    url: `smtp://robot:${PASSWORD}@127.0.0.1:${port}`,
    mails,
    answers: {},
    connections: () => connections,
    endConnections() {
      for (const connection of server.connections) connection.close();
    },
  };
  return end;
}

const BEHAVIOURS: Record<Behaviour, SmtpEnd['answers']> = {
  well: {},
  down: { connect: refusal(421, '4.3.2 Closed for today') },
  refusing: { to: refusal(550, '5.1.1 No such person') },
  silent: { data: 'never' },
  slow: { data: 'late' },
};

async function open(t: TestContext, deadlineMs = DEADLINE_MS): Promise<Rig & { readonly end: SmtpEnd }> {
  const end = await smtpEnd(t);
  const channel = emailChannel({ url: end.url, from: 'Trackway <track@example.test>', deadlineMs, vault: testVault });
  t.after(() => channel.close());
  return {
    end,
    channel,
    destination: { id: 1, target: 'smtp', secrets: [] },
    address: READER,
    async behave(how) {
      end.answers = BEHAVIOURS[how];
    },
    arrived: async () => end.mails.map(({ raw }) => textIn(raw)),
    secrets: [PASSWORD],
  };
}

/** The text of a mail that has nothing else. */
function textIn(raw: string): string {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n').replace(/\r\n$/, '');
  if (/transfer-encoding: base64/i.test(head)) return Buffer.from(body, 'base64').toString();
  const bytes = body.replaceAll(/=\r?\n/g, '').replaceAll(/=([0-9A-F]{2})/g, (_, hex) => `%${hex}`);
  return decodeURIComponent(bytes.replaceAll(/%(?![0-9A-F]{2})/g, '%25'));
}

channelSuite('email', open);

const sendOne = async (rig: Rig): Promise<SendOutcome> => (await sendTo(rig, [parcelOf(READER)]))[0]!;

test('a mail has its sender, its reader, text and HTML, and the id of the message', async (t) => {
  const rig = await open(t);
  const parcel = parcelOf(READER, { subject: 'Łódź: entered', text: 'Plain words', html: '<p>Rich words</p>' });
  assert.deepEqual(await sendTo(rig, [parcel]), [{ kind: 'sent' }]);
  const { from, to, raw } = rig.end.mails[0]!;
  assert.deepEqual([from, to], ['track@example.test', [READER]]);
  assert.match(raw, /^From: Trackway <track@example\.test>\r$/m);
  assert.match(raw, new RegExp(`^Message-ID: <${parcel.messageId}@example\\.test>\\r$`, 'm'));
  assert.match(raw, /^Auto-Submitted: auto-generated\r$/m);
  assert.match(raw, /^Content-Type: multipart\/alternative/m);
  assert.match(raw, /Plain words[\s\S]*<p>Rich words<\/p>/);
});

test('a mail that lies encrypted is sent as it was written, and waits where the key is another', async (t) => {
  const rig = await open(t);
  const written = parcelOf(READER, { subject: 'A link', text: 'It lets you in' });
  const sealedBy = ({ seal }: Vault) => ({
    ...written,
    content: sealContent(seal, written.messageId, written.content),
  });
  const [outcome] = await sendTo(rig, [sealedBy(createVault([newKey()]))]);
  assert.equal(outcome!.kind, 'later');
  assert.equal(rig.end.mails.length, 0);
  assert.deepEqual(await sendTo(rig, [sealedBy(testVault)]), [{ kind: 'sent' }]);
  assert.match(rig.end.mails[0]!.raw, /^Subject: A link\r$[\s\S]*It lets you in/m);
});

test('nobody smuggles a header or a second reader in', async (t) => {
  const rig = await open(t);
  const subject = 'A\r\nBcc: other@example.test\r\n\r\nBody\u0000\u2028x';
  const lines = ['a line', '.', 'MAIL FROM:<x@example.test>'].join('\r\n');
  assert.deepEqual(await sendTo(rig, [parcelOf(READER, { subject, text: lines })]), [{ kind: 'sent' }]);
  assert.equal(rig.end.mails.length, 1);
  assert.deepEqual(rig.end.mails[0]!.to, [READER]);
  assert.match(rig.end.mails[0]!.raw, /^Subject: A Bcc: other@example\.test Body x\r$/m);
  assert.doesNotMatch(rig.end.mails[0]!.raw, /^Bcc:/m);
  for (const address of [
    'a@example.test\r\nRCPT TO:<b@example.test>',
    'a@example.test, b@example.test',
    'a@example.test;b@example.test',
    'A <a@example.test>',
    '"a b"@example.test',
    'a@example.test b@example.test',
    'a',
    '',
    null,
    `${'a'.repeat(250)}@example.test`,
  ]) {
    assert.equal((await sendTo(rig, [parcelOf(address)]))[0]!.kind, 'refused', String(address));
  }
  assert.equal(rig.end.mails.length, 1);
});

test('what concerns one mail is refused or put off, what concerns the server is down', async (t) => {
  const rig = await open(t);
  const cases: [SmtpEnd['answers'], SendOutcome['kind'], RegExp][] = [
    [{ to: refusal(550, '5.1.1 No such person') }, 'refused', /550 5\.1\.1 No such person/],
    [{ to: refusal(450, '4.2.0 Greylisted') }, 'later', /450 4\.2\.0 Greylisted/],
    [{ to: refusal(450, '4.4.1 Its host does not answer') }, 'later', /450/],
    [{ to: refusal(451, '4.3.0 Trouble of our own') }, 'down', /451 4\.3\.0/],
    [{ data: refusal(554, '5.7.1 Looks like spam') }, 'refused', /554 5\.7\.1/],
    [{ data: refusal(452, '4.3.1 The disk is full') }, 'down', /452 4\.3\.1/],
    [{ data: refusal(421, '4.3.2 Going down') }, 'down', /421/],
    [{ from: refusal(553, '5.7.1 Not your address') }, 'down', /553 5\.7\.1/],
    [{ from: refusal(451, '4.3.0 Later') }, 'down', /451/],
    [{ connect: refusal(554, 'Go away') }, 'down', /cannot be reached|Go away/],
  ];
  for (const [answers, kind, words] of cases) {
    const there = await open(t);
    there.end.answers = answers;
    const outcome = await sendOne(there);
    assert.equal(outcome.kind, kind, JSON.stringify(outcome));
    assert.match((outcome as { reason: string }).reason, words);
    assert.deepEqual(there.end.mails, []);
  }
  const wrong = emailChannel({
    url: rig.end.url.replace(PASSWORD, 'other'),
    from: 'a@example.test',
    deadlineMs: DEADLINE_MS,
    vault: testVault,
  });
  t.after(() => wrong.close());
  const outcome = await sendOne({ ...rig, channel: wrong });
  assert.deepEqual(outcome, {
    kind: 'down',
    reason: 'The mail server rejects the account of TRACKWAY_SMTP_URL (535).',
  });
});

test('a connection is kept, and one that was closed meanwhile costs no failure', async (t) => {
  const rig = await open(t);
  for (let i = 0; i < 15; i++) assert.deepEqual(await sendOne(rig), { kind: 'sent' });
  assert.equal(rig.end.connections(), 1);
  rig.end.endConnections();
  assert.deepEqual(await sendOne(rig), { kind: 'sent' });
  assert.deepEqual(await sendOne(rig), { kind: 'sent' });
  assert.equal(rig.end.connections(), 2);
  assert.equal(rig.end.mails.length, 17);
});

async function tcpEnd(t: TestContext, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a server that never greets, or is not there, is down, and clearly nothing arrived', async (t) => {
  const rig = await open(t);
  const mute = await tcpEnd(
    t,
    createServer((socket) => t.after(() => socket.destroy())),
  );
  for (const [url, reason] of [
    [mute, 'The mail server cannot be reached in time.'],
    ['smtp://127.0.0.1:1', 'The mail server cannot be reached.'],
  ] as const) {
    const channel = emailChannel({ url, from: 'a@example.test', deadlineMs: SHORT_DEADLINE_MS, vault: testVault });
    assert.deepEqual(await sendOne({ ...rig, channel }), { kind: 'down', reason });
    await channel.close();
  }
});

test('without a server or a sender it says at once that it is not set up', async (t) => {
  const rig = await open(t);
  const reported = async (url: string, from: string) =>
    sendOne({ ...rig, channel: emailChannel({ url, from, deadlineMs: DEADLINE_MS, vault: testVault }) });
  const NO_MAIL = 'E-mail is not set up on this server.';
  assert.deepEqual(await reported('', 'a@example.test'), { kind: 'unconfigured', reason: NO_MAIL });
  assert.deepEqual(await reported('smtp://127.0.0.1:1', ''), { kind: 'unconfigured', reason: NO_MAIL });
  assert.equal((await reported('smtp://a%40example.test:x@127.0.0.1:1', '')).kind, 'down', 'the account is an address');
});
