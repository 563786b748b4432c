import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import fc from 'fast-check';
import { onEitherEngine } from './harness/engines.ts';
import { startServer } from './harness/server-process.ts';
import { makeStation, type Station } from './harness/station.ts';
import { checkHealth } from './hostile/health.ts';

const SEED = 20_260_302;

/** Absurd filters, addresses and methods: each gets a clear answer, and nothing changes. */
onEitherEngine(
  'hostile requests',
  (running) => {
    let station: Station;
    before(async () => {
      station = await makeStation(running.api);
      for (let n = 0; n < 20; n += 1)
        await station.owner.make('/users/me/geofences', { name: 'a'.repeat(n + 10), radius: n, meta: { n } });
    });
    const listed = (filter: string) => station.owner.get(`/users/me/geofences?filter=${encodeURIComponent(filter)}`);
    const where = (condition: unknown) => listed(JSON.stringify({ where: condition }));

    test('filters nested a thousand deep, and wide ones, are refused with their bound', async () => {
      const nested = (depth: number, open: string, inner: string, close: string) =>
        `{"where":${open.repeat(depth)}${inner}${close.repeat(depth)}}`;
      for (const filter of [
        nested(1000, '{"and":[', '{"name":"x"}', ']}'),
        nested(1000, '{"or":[', '{"name":"x"}', ']}'),
        nested(1000, '{"name":', '1', '}'),
        nested(1000, '{"meta":[', '1', ']}'),
        JSON.stringify({ where: { or: Array.from({ length: 1000 }, (_, n) => ({ radius: n })) } }),
        JSON.stringify({ where: { radius: { inq: Array.from({ length: 3000 }, (_, n) => n) } } }),
      ]) {
        assert.equal((await listed(filter)).status, 400, filter.slice(0, 80));
      }
      assert.ok(
        [400, 414, 431].includes(
          (await listed(JSON.stringify({ where: { or: Array.from({ length: 10_000 }, () => ({ a: 1 })) } }))).status,
        ),
      );
    });

    test('names that mean something to JavaScript or SQL mean nothing here', async () => {
      for (const name of [
        '__proto__',
        'constructor',
        'prototype',
        'toString',
        'hasOwnProperty',
        'id"; DROP TABLE "users"; --',
        "id' OR '1'='1",
        'userId) OR (1=1',
        'passwordHash',
        'rowid',
        'ctid',
        'sqlite_master',
        '',
        ' ',
        'a.b.c.d',
        '.',
        'meta.',
        'meta.__proto__.x',
        'meta.$[*]',
        "meta.'",
        'meta."',
        'meta.a b',
        'center.lat.x',
        '$where',
        '\u0000',
        'x'.repeat(1000),
      ]) {
        for (const filter of [
          { where: { [name]: 1 } },
          { where: { [name]: { neq: null } } },
          { order: `${name} DESC` },
          { fields: [name] },
          { fields: { [name]: true } },
        ]) {
          const raw = JSON.stringify(filter);
          const { status, body, text } = await listed(raw);
          assert.ok(status === 200 || status === 400, `${raw} → ${status}`);
          if (status === 200) assert.ok(body.length <= 20 && !text.includes('argon2'), raw);
        }
      }
      const raw = '{"where":{"__proto__":{"neq":1}},"__proto__":{"limit":1}}';
      assert.ok([200, 400].includes((await listed(raw)).status));
      assert.equal((await station.owner.get('/users/me/geofences')).body.length, 20);
    });

    test('operators that are unknown, and operands of the wrong kind', async () => {
      for (const clause of [
        { foo: 1 },
        { $gt: 1 },
        { gt: [] },
        { gt: {} },
        { between: 1 },
        { between: [] },
        { between: [1, 2, 3] },
        { between: [{}, []] },
        { inq: 'x' },
        { inq: {} },
        { inq: [[]] },
        { nin: null },
        { like: {} },
        { like: ['%'] },
        { regexp: {} },
        { regexp: '(' },
        { regexp: '[' },
        { near: 'x' },
        { near: {} },
        { near: '1,2', unit: 'parsecs' },
        { exists: 'maybe' },
        { and: 1 },
        [],
        [[]],
        [1],
        true,
      ]) {
        for (const field of ['radius', 'name', 'meta', 'center', 'lastChecked', 'wasInside', 'outline', 'nothing']) {
          const { status } = await where({ [field]: clause });
          assert.ok(status === 200 || status === 400, `${field} ${JSON.stringify(clause)} → ${status}`);
        }
      }
      for (const condition of [
        [],
        'x',
        1,
        true,
        { and: {} },
        { and: 'x' },
        { or: [1] },
        { or: [null] },
        { nor: [[]] },
        { and: [] },
      ])
        assert.ok([200, 400].includes((await where(condition)).status), JSON.stringify(condition));
      for (const part of ['order', 'limit', 'skip', 'offset', 'fields', 'include', 'where', 'unknown'])
        for (const value of [null, [], {}, '', 'x', -1, 1.5, 1e300, [[]], [null], [{}], { a: { b: 1 } }])
          assert.ok(
            [200, 400].includes((await listed(JSON.stringify({ [part]: value }))).status),
            `${part} ${JSON.stringify(value)}`,
          );
    });

    test('expressions made to run for ever, look around or refer back', async () => {
      for (const regexp of [
        '(a+)+$',
        '(a|a)*b',
        '(a*)*$',
        '([a-z]+)*\\1',
        '(a)\\1',
        '(?=a)',
        '(?<=a)',
        '(?!a)',
        '(?<n>a)\\k<n>',
        'a{1,1000}{1,1000}',
        '(((a{100}){100}){100})',
        'a'.repeat(101),
        '\\',
        '\u0000',
        '(?i)',
        '\\p{L}',
        '[[:alpha:]]',
        '***=a',
        '(?#x)',
      ]) {
        const { status } = await where({ name: { regexp } });
        assert.ok(status === 200 || status === 400, `${regexp} → ${status}`);
      }
      for (const regexp of ['(a)\\1', '(?=a)', '(?!a)', '(?<=a)', 'a'.repeat(101)])
        assert.equal((await where({ name: { regexp } })).status, 400, regexp);
    });

    test('filters of any JSON', async () => {
      const names = fc.constantFrom(
        'id',
        'name',
        'radius',
        'meta',
        'meta.n',
        'center',
        'lastChecked',
        'wasInside',
        'userId',
        'outline',
        'zzz',
        'and',
        'or',
        'nor',
      );
      const operators = fc.constantFrom(
        'eq',
        'neq',
        'gt',
        'gte',
        'lt',
        'lte',
        'between',
        'inq',
        'nin',
        'like',
        'nlike',
        'ilike',
        'nilike',
        'regexp',
        'near',
        'exists',
        'maxDistance',
        'unit',
        'options',
      );
      const clause = fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.dictionary(operators, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
      );
      const filter = fc.record(
        {
          where: fc.oneof(fc.dictionary(names, clause, { maxKeys: 4 }), fc.jsonValue({ maxDepth: 3 })),
          order: fc.oneof(fc.jsonValue({ maxDepth: 1 }), names),
          limit: fc.jsonValue({ maxDepth: 0 }),
          skip: fc.jsonValue({ maxDepth: 0 }),
          fields: fc.jsonValue({ maxDepth: 1 }),
        },
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(filter, async (sent) => {
          const { status } = await listed(JSON.stringify(sent));
          assert.ok(status === 200 || status === 400, `${status}`);
        }),
        { seed: SEED, numRuns: 300, endOnFailure: true },
      );
    });

    test('brackets of every kind', async () => {
      for (const query of [
        'filter[',
        'filter]',
        'filter[]',
        'filter[where',
        'filter[where]]=1',
        'filter[where][]=1',
        'filter[where][name]=a&filter[where][name]=b',
        'filter={}&filter[limit]=1',
        'filter={}&filter={}',
        'filter[__proto__][x]=1',
        'filter[where][__proto__][x]=1',
        'filter[where][constructor][prototype]=1',
        `filter${'[a]'.repeat(500)}=1`,
        `filter[where]${'[and][0]'.repeat(50)}[name]=x`,
        'filter[where][and][99999999]=1',
        'filter[fields][-1]=id',
        'filter[limit][a]=1',
        'filter[where][name][inq][1000000000]=x',
        'filter[where][radius][gt]=',
        'filter=%00',
        'filter=null',
        'filter=',
        'filter',
        'where=1',
        'filter[order]=id%20ASC%3B%20DROP',
      ]) {
        const { status } = await station.owner.get(`/users/me/geofences?${query}`);
        assert.ok(status === 200 || status === 400, `${query.slice(0, 60)} → ${status}`);
      }
      assert.equal((await station.owner.get(`/users/me/geofences?${'a=1&'.repeat(3000)}`)).status, 400);
    });

    test('bad percent-encoding and absurd addresses', async () => {
      const { token } = station.owner;
      for (const path of [
        '/api/%',
        '/api/%ZZ',
        '/api/devices/%E0%A4%A',
        '/api/devices/%FF',
        '/api/devices/..%2f..%2fetc%2fpasswd',
        '/api/../../etc/passwd',
        '/docs/../../package.json',
        '/docs/%2e%2e/%2e%2e/package.json',
        '/pages/..%2f..%2fserver.ts',
        '/api/devices?%',
        '/api/devices?filter=%',
        '/api/devices?filter=%E0%A4%A',
        '//',
        '/api/devices//',
        `/api/devices/${'9'.repeat(5000)}`,
        '/api/devices/1;a=b',
        '/api/devices/%0d%0aX:1',
        '/api/\u00e4'.replace('\u00e4', '%C3%A4'),
      ]) {
        const { status, text } = await running.api('GET', path, { token });
        assert.ok([200, 400, 403, 404, 414].includes(status), `${path.slice(0, 60)} → ${status}`);
        assert.doesNotMatch(text, /root:|"workspaces"/);
      }
    });

    test('methods: HEAD and OPTIONS change nothing, an override is none', async () => {
      const { owner, device } = station;
      const { token } = owner;
      const before = [
        (await owner.get(`/devices/${device}`)).text,
        (await owner.get(`/devices/${device}/config`)).text,
      ];
      for (const method of [
        'HEAD',
        'OPTIONS',
        'TRACE',
        'PROPFIND',
        'LOCK',
        'MKCOL',
        'SEARCH',
        'PURGE',
        'COPY',
        'LINK',
        'REPORT',
        'QUERY',
      ]) {
        for (const path of [`/api/devices/${device}`, '/api/devices', '/', '/healthz', '/nothing']) {
          const { status } = await running.api(method, path, { token });
          assert.ok([200, 204, 400, 404, 405, 501].includes(status), `${method} ${path} → ${status}`);
        }
      }
      assert.equal(
        (await running.api('PATCH', `/api/devices/${device}/config`, { token, body: { interval: 'x' } })).status,
        422,
      );
      assert.deepEqual(
        [(await owner.get(`/devices/${device}`)).text, (await owner.get(`/devices/${device}/config`)).text],
        before,
      );
      assert.equal((await running.api('PATCH', `/api/devices/${device}/config`, { token, body: {} })).status, 200);
      const override = { 'x-http-method-override': 'DELETE' };
      assert.equal((await running.api('POST', `/api/devices/${device}`, { token, headers: override })).status, 405);
      assert.equal((await owner.get(`/devices/${device}`)).status, 200);
    });

    test('many at once on one thing: no answer is a fault, and what is unique stays so', async () => {
      const { admin, owner, other, device } = station;
      const at = Array.from({ length: 12 }, (_, n) => n);
      const shares = await Promise.all(at.map(() => owner.post(`/devices/${device}/shares`, { email: other.email })));
      assert.deepEqual(shares.map(({ status }) => status).sort(), [200, ...Array(11).fill(422)]);
      const devices = await Promise.all(at.map(() => owner.post('/devices', { imei: 'the-one' })));
      assert.deepEqual(devices.map(({ status }) => status).sort(), [200, ...Array(11).fill(422)]);
      const fence = await owner.make('/users/me/geofences', {});
      const ends = await Promise.all(at.map(() => owner.delete(`/users/me/geofences/${fence.id}`)));
      for (const { status } of ends) assert.ok(status === 204 || status === 404);
      const plan = await admin.make('/plans', { name: 'scarce' });
      await admin.make(`/users/${owner.id}/plans`, { planId: plan.id, count: 3 });
      const ids = await Promise.all(at.map(async () => (await owner.make('/devices', {})).id));
      const taken = await Promise.all(ids.map((id) => owner.put(`/devices/${id}/plan`, { planId: plan.id })));
      assert.deepEqual(taken.map(({ status }) => status).sort(), [200, 200, 200, ...Array(9).fill(422)]);
      await owner.delete(`/devices/${device}/shares`);
    });

    test('after all of it the server is well', () => checkHealth(running, station));
  },
  // Some of these expressions run until the deadline.
  { TRACKWAY_SEARCH_DEADLINE: '2000' },
  startServer,
);
