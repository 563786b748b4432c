import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANY_TARGET, createEgress, type EgressOptions, type EgressRequest } from './client.ts';
import { CallFailed } from './failure.ts';
import { outside } from './testing/outside.ts';

/**
 * Nobody can make the server call into its own network, by any spelling of an address or any change of a DNS record.
 */

const PUBLIC = '93.184.215.14';

/** What names resolve to in these tests; no real resolver is used. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'public.test': [PUBLIC],
  'both-public.test': [PUBLIC, '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'loopback.test': ['127.0.0.1'],
  'loopback6.test': ['::1'],
  'private.test': ['10.1.2.3'],
  'mixed.test': [PUBLIC, '192.168.1.1'],
  'mixed6.test': [PUBLIC, 'fd12::1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'mapped-hex.test': ['::ffff:a00:1'],
  'zoned.test': ['fe80::1%lo'],
  'metadata.test': ['169.254.169.254'],
  'metadata6.test': ['fd00:ec2::254'],
  'odd.test': ['0x7f.1'],
  'empty.test': [''],
  'own.test': ['93.184.215.99'],
  'localhost.': ['127.0.0.1'],
  'trailing.test.': ['127.0.0.1'],
};

const FORBIDDEN = [
  // IPv4 and its unusual spellings.
  'http://127.0.0.1/',
  'http://127.0.0.1:8080/',
  'https://127.0.0.1/',
  'http://127.1/',
  'http://127.0.1/',
  'http://127.255.255.254/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://0177.0.0.01/',
  'http://017700000001/',
  'http://127.0.0.1./',
  'http://127。0。0。1/',
  'http://127.0.0.1/',
  'http://①②⑦.⓪.⓪.①/',
  'http://%31%32%37.0.0.1/',
  'http:127.0.0.1/',
  'http:\\\\127.0.0.1\\',
  'HTTP://127.0.0.1/',
  'http://0/',
  'http://0.0.0.0/',
  'http://0.1.2.3/',
  'http://10.0.0.1/',
  'http://10.255.255.255/',
  'http://012.0.0.1/',
  'http://167772161/',
  'http://100.64.0.1/',
  'http://100.100.100.200/',
  'http://100.127.255.255/',
  'http://168.63.129.16/',
  'http://169.254.169.254/latest/meta-data/',
  'http://169.254.0.1/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://0251.0376.0251.0376/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.0.0.192/',
  'http://192.0.2.1/',
  'http://192.88.99.1/',
  'http://192.168.0.1/',
  'http://192.168.257/',
  'http://198.18.0.1/',
  'http://198.19.255.255/',
  'http://198.51.100.1/',
  'http://203.0.113.1/',
  'http://224.0.0.1/',
  'http://239.255.255.250/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  // IPv6.
  'http://[::]/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[0000::0001]:8080/',
  'http://[::127.0.0.1]/',
  'http://[::7f00:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[0:0:0:0:0:ffff:10.0.0.1]/',
  'http://[::ffff:169.254.169.254]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://[64:ff9b:1::10.0.0.1]/',
  'http://[2002:7f00:1::]/',
  'http://[2002:c0a8:101::1]/',
  'http://[2001:0:7f00:1::]/',
  'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
  'http://[2001:2::1]/',
  'http://[2001:10::1]/',
  'http://[2001:db8::1]/',
  'http://[3fff::1]/',
  'http://[2606:2800::5efe:10.0.0.1]/',
  'http://[2606:2800::200:5efe:7f00:1]/',
  'http://[100::1]/',
  'http://[5f00::1]/',
  'http://[fc00::1]/',
  'http://[fd00:ec2::254]/',
  'http://[fe80::1]/',
  'http://[febf::1]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
  'http://[4000::1]/',
  // Names that are local, or that resolve to forbidden addresses.
  'http://localhost/',
  'http://LOCALHOST:3000/',
  'http://localhost./',
  'http://a.localhost/',
  'http://printer.local/',
  'http://metadata.google.internal/',
  'http://trailing.test./',
  'http://loopback.test/',
  'https://loopback.test/',
  'http://loopback6.test/',
  'http://private.test/',
  'http://mixed.test/',
  'http://mixed6.test/',
  'http://mapped.test/',
  'http://mapped-hex.test/',
  'http://zoned.test/',
  'http://metadata.test/',
  'http://metadata6.test/',
  'http://odd.test/',
  'http://empty.test/',
  'http://own.test/',
  'http://93.184.215.99/',
];

/** Refused for their format, before any address is checked. */
const MALFORMED = [
  '',
  'example',
  '//127.0.0.1/',
  'http://',
  'http://[::1/',
  'http://[fe80::1%25lo]/',
  'http://[::ffff:127.0.0.256]/',
  'http://256.1.1.1/',
  'http://1.2.3.4.5/',
  'http://127.0.0.1 /',
  'http://public.test/ x',
  'http://public\n.test/',
  'http://a@127.0.0.1/',
  'http://public.test@127.0.0.1/',
  'http://public.test:secret@public.test/',
  'http://public.test:22/',
  'http://public.test:25/',
  'http://public.test:0/',
  'http://public.test:65536/',
  'ftp://public.test/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_x',
  'data:text/plain,x',
  'javascript:0',
  'ws://public.test/',
  'unix:/var/run/docker.sock',
  `http://public.test/${'x'.repeat(3000)}`,
];

/** URLs that may be called, and the address that each call connects to. */
const ALLOWED: readonly (readonly [url: string, address: string])[] = [
  [`http://${PUBLIC}/`, PUBLIC],
  [`http://${PUBLIC}:8080/`, PUBLIC],
  [`https://${PUBLIC}/`, PUBLIC],
  ['http://1572394766/', PUBLIC],
  ['http://public.test/', PUBLIC],
  ['https://public.test:8443/', PUBLIC],
  ['http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  [`http://[64:ff9b::${PUBLIC}]/`, '64:ff9b::5db8:d70e'],
  ['http://172.15.255.255/', '172.15.255.255'],
  ['http://172.32.0.1/', '172.32.0.1'],
  ['http://100.63.255.255/', '100.63.255.255'],
  ['http://100.128.0.1/', '100.128.0.1'],
  ['http://126.255.255.255/', '126.255.255.255'],
  ['http://223.255.255.255/', '223.255.255.255'],
];

const call = (url: string, deadlineMs = 20_000): EgressRequest => ({
  url,
  headers: { 'content-type': 'text/plain' },
  body: 'x',
  deadlineMs,
  signal: new AbortController().signal,
});

const guarded = (options: Partial<EgressOptions>) =>
  createEgress({
    allowTargets: '',
    own: () => ['127.0.0.1', '93.184.215.99'],
    lookup: async (name) => {
      const found = NAMES[name];
      if (found === undefined) throw Object.assign(new Error('stub'), { code: 'ENOTFOUND' });
      return found;
    },
    ...options,
  });

async function failure(promise: Promise<unknown>): Promise<CallFailed> {
  const error = await promise.then(
    (answer) => assert.fail(`it was called: ${JSON.stringify(answer)}`),
    (thrown) => thrown,
  );
  assert.ok(error instanceof CallFailed, String(error));
  return error;
}

test(`none of ${FORBIDDEN.length} forms of forbidden addresses is called`, async (t) => {
  const there = await outside(t, (_request, response) => response.end());
  const egress = guarded(there);
  for (const url of FORBIDDEN) {
    const { kind, message } = await failure(egress.post(call(url)));
    assert.equal(kind, 'forbidden', `${url}: ${message}`);
    assert.match(message, /points to a network that is not allowed/);
    // The message must not reveal what a name resolves to inside the network.
    assert.doesNotMatch(message, /\d+\.\d+|::/);
  }
  assert.deepEqual(there.wanted, []);
});

test('what is no address of the web is refused for its form', async (t) => {
  const there = await outside(t, (_request, response) => response.end());
  const egress = guarded(there);
  for (const url of MALFORMED) {
    assert.equal((await failure(egress.post(call(url)))).kind, 'address', url);
    assert.ok(egress.checkTarget(url), url);
  }
  assert.deepEqual(there.wanted, []);
});

test('public addresses are called, each at the address that was checked', async (t) => {
  const there = await outside(t, (_request, response) => response.end());
  const egress = guarded(there);
  for (const [url, address] of ALLOWED) {
    there.wanted.length = 0;
    assert.equal(egress.checkTarget(url), undefined, url);
    const { kind, message } = await failure(egress.post(call(url)));
    assert.deepEqual([kind, message], ['reach', 'Connection refused.'], url);
    assert.deepEqual(there.wanted, [address], url);
  }
  there.wanted.length = 0;
  await failure(egress.post(call('http://both-public.test/')));
  assert.deepEqual(there.wanted, NAMES['both-public.test'], 'if one address does not answer, the next is tried');
});

test('a target with a forbidden address in plain sight is refused when it is given', () => {
  const egress = guarded({});
  for (const url of [
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://[::1]:8080/',
    'http://localhost/',
    'http://10.0.0.9/',
  ])
    assert.match(egress.checkTarget(url) ?? '', /the operator can allow it with TRACKWAY_ALLOW_TARGETS/, url);
  assert.match(egress.checkTarget('ftp://public.test/') ?? '', /must begin with https/);
  assert.equal(egress.checkTarget('https://hooks.example.com/a?b=c#d'), undefined);
});

test('no redirect leads to a forbidden address', async (t) => {
  let location = '';
  const there = await outside(t, (_request, response) => response.writeHead(307, { location }).end(), [PUBLIC]);
  const egress = guarded(there);
  // A target without a scheme would be a path on the public host, and one with invalid header characters cannot be
  // sent.
  const targets = [...FORBIDDEN, ...MALFORMED].filter((url) => /^\w+:[!-~]*$/.test(url) && !url.startsWith('http:1'));
  assert.ok(targets.length > 100);
  for (location of targets) {
    const { kind } = await failure(egress.post(call('http://public.test:8080/')));
    assert.equal(kind, 'forbidden', location);
  }
  assert.deepEqual(new Set(there.wanted), new Set([PUBLIC]));
  egress.close();
});

test('a redirect that keeps the method is followed three times, and credentials do not go along', async (t) => {
  const seen: string[] = [];
  const there = await outside(
    t,
    (request, response) => {
      seen.push(`${request.method} ${request.headers.host} ${request.url} ${request.headers.authorization ?? '-'}`);
      const step = Number(request.url!.slice(1));
      if (step === 3) response.end();
      else response.writeHead(step % 2 ? 307 : 308, { location: `http://public.test:8080/${step + 1}` }).end();
    },
    [PUBLIC],
  );
  const egress = guarded(there);
  const start = call(`http://${PUBLIC}:8080/0`);
  const { status } = await egress.post({ ...start, headers: { authorization: 'secret' } });
  assert.equal(status, 200);
  const host = 'public.test:8080';
  assert.deepEqual(seen, [
    `POST ${PUBLIC}:8080 /0 secret`,
    `POST ${host} /1 -`,
    `POST ${host} /2 -`,
    `POST ${host} /3 -`,
  ]);
  assert.match((await failure(egress.post(call(`http://${PUBLIC}:8080/-1`)))).message, /more than 3 times/);
  egress.close();
});

test('a name that changes between look-ups is called only while it is public; a warm connection stays where it is', async (t) => {
  let answers = 0;
  const there = await outside(
    t,
    (_request, response) => {
      answers++;
      response.end();
    },
    [PUBLIC],
  );
  let resolved = [PUBLIC];
  let lookups = 0;
  const egress = guarded({
    connect: there.connect,
    lookup: async () => {
      lookups++;
      return resolved;
    },
  });
  const url = 'http://rebinding.test:8080/';
  await egress.post(call(url));
  resolved = ['127.0.0.1'];
  await egress.post(call(url));
  assert.deepEqual([answers, lookups, there.wanted], [2, 1, [PUBLIC]], 'the pool kept the connection it had');
  // More calls than open connections need a new connection, so the name is resolved and checked again.
  const both = await Promise.allSettled([egress.post(call(url)), egress.post(call(url))]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  there.endConnections();
  const lost = await failure(egress.post(call(url)));
  if (lost.isStale) assert.equal((await failure(egress.post(call(url)))).kind, 'forbidden');
  else assert.equal(lost.kind, 'forbidden');
  for (const again of [['::1'], ['::ffff:10.0.0.1'], [PUBLIC, '10.0.0.1'], ['169.254.169.254']]) {
    resolved = again;
    assert.equal((await failure(egress.post(call(url)))).kind, 'forbidden', String(again));
  }
  assert.deepEqual(there.wanted, [PUBLIC]);
  egress.close();
});

test('a name that answers otherwise each time is connected to at the address that was judged', async (t) => {
  const there = await outside(t, (_request, response) => response.end(), [PUBLIC]);
  let turn = 0;
  const egress = guarded({
    connect: there.connect,
    lookup: async () => (turn++ % 2 === 0 ? [PUBLIC] : ['127.0.0.1']),
  });
  for (let i = 0; i < 20; i++) {
    await egress.post(call(`http://flip-${i}.test:8080/`)).catch(() => {});
  }
  assert.deepEqual([turn, there.wanted], [20, new Array(10).fill(PUBLIC)]);
  egress.close();
});

test('operators allow ranges, and nothing beside them', async (t) => {
  const there = await outside(t, (_request, response) => response.end());
  const egress = guarded({ ...there, allowTargets: '127.0.0.1/32, 10.1.0.0/16 fd12::/16' });
  assert.equal((await egress.post(call(`http://127.0.0.1:${there.port}/`))).status, 200);
  assert.equal((await egress.post(call(`http://loopback.test:${there.port}/`))).status, 200);
  assert.equal((await failure(egress.post(call('http://127.0.0.2/')))).kind, 'forbidden');
  assert.equal((await failure(egress.post(call('http://10.2.0.1/')))).kind, 'forbidden');
  assert.equal((await failure(egress.post(call('http://[fd13::1]/')))).kind, 'forbidden');
  assert.equal((await failure(egress.post(call('http://10.1.9.9/')))).kind, 'reach');
  assert.equal((await failure(egress.post(call('http://[fd12::9]/')))).kind, 'reach');
  assert.deepEqual(new Set(there.wanted), new Set(['127.0.0.1', '10.1.9.9', 'fd12::9']));
  for (const wrong of ['10.0.0.0/33', 'ten', '1.2.3', '::/129', 'fe80::1%lo'])
    assert.throws(() => guarded({ allowTargets: wrong }), /is not an address range/, wrong);
  egress.close();
});

test('a call that is aborted before there is a connection ends at once', async (t) => {
  const awake = setInterval(() => {}, 1000);
  t.after(() => clearInterval(awake));
  const stop = new AbortController();
  const egress = guarded({ lookup: () => new Promise(() => {}) });
  const waiting = egress.post({ ...call('http://slow.test/', 60_000), signal: stop.signal });
  stop.abort();
  assert.match((await failure(waiting)).message, /aborted/);
  const { message, isUnclear } = await failure(egress.post(call('http://slow.test/', 50)));
  assert.deepEqual([message, isUnclear], ['No connection in time.', false]);
});

test('a server that the operator names may be anywhere, and its answer is read where somebody asks for it', async (t) => {
  const there = await outside(t, (_request, response) => response.end('{"ok":true}'));
  const egress = guarded({ ...there, allowTargets: ANY_TARGET });
  t.after(() => egress.close());
  const [named, literal] = [`http://loopback.test:${there.port}/`, `http://127.0.0.1:${there.port}/`];
  assert.equal((await egress.post({ ...call(named), readsSuccess: true })).text, '{"ok":true}');
  assert.equal((await egress.post(call(literal))).text, '');
});
