import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { MIGRATIONS } from '../../server/src/domain/schema/migrations.ts';
import { onEitherEngine as placesOnBothEngines } from '../../server/src/testing/databases.ts';
import { commitCutter } from '../../server/src/testing/storage/commit-cutter.ts';
import { apiOf } from './harness/api.ts';
import { onEitherEngine } from './harness/engines.ts';
import { adminOf } from './harness/people.ts';
import { startServer } from './harness/server-process.ts';
import { makeStation, type Station, type Voice } from './harness/station.ts';

/** A create that is repeated with the same `Idempotency-Key` is carried out once. */

onEitherEngine('requests with an Idempotency-Key', (running) => {
  let made: Promise<Station> | undefined;
  const station = () => {
    made ??= makeStation(running.api);
    return made;
  };
  const post = (voice: Voice, key: string, path: string, body: unknown, base = '/api') =>
    running.api('POST', base + path, { token: voice.token, body, headers: { 'idempotency-key': key } });

  test('get the first answer again, and nothing is done', async () => {
    const { owner, admin, device } = await station();
    const creates: [Voice, string, object][] = [
      [owner, `/users/${owner.id}/geofences`, { name: 'Yard', center: { lat: 1, lng: 2 }, radius: 50 }],
      [owner, `/devices/${device}/messages`, { message: 'ring' }],
      [owner, `/devices/${device}/notificationTriggers`, { type: 'newLoc' }],
      [owner, `/devices/${device}/readings`, { type: 'temp', value: 3 }],
      [admin, '/plans', { name: 'Standard', days: 30 }],
      [admin, '/users', { email: 'new@example.com', password: 'correct horse battery' }],
    ];
    for (const [voice, path, body] of creates) {
      const first = await post(voice, 'k1', path, body);
      assert.equal(first.status, 200, first.text);
      assert.equal(first.headers['idempotency-replayed'], undefined);
      const again = await post(voice, 'k1', path, body);
      assert.deepEqual([again.status, again.body], [200, first.body], path);
      assert.equal(again.headers['idempotency-replayed'], 'true');
      if (path === '/users' || path === '/plans') continue;
      const other = await post(voice, 'k2', path, body);
      assert.notEqual(other.body.id, first.body.id, 'another key is another create');
    }
    const fences = await owner.client.listGeofences({ id: owner.id });
    assert.equal(fences.length, 2);
  });

  test('with another body are refused; each user and each address has keys of its own', async () => {
    const { owner, other, device, otherDevice } = await station();
    const body = { message: 'one' };
    const first = await post(owner, 'own', `/devices/${device}/messages`, body);
    const refused = await post(owner, 'own', `/devices/${device}/messages`, { message: 'two' });
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
    const foreign = await post(other, 'own', `/devices/${otherDevice}/messages`, body);
    assert.equal(foreign.headers['idempotency-replayed'], undefined);
    assert.notEqual(foreign.body.id, first.body.id);
    const v2 = (ttl: number) => post(owner, 'own', '/users/personalAccessTokens', { description: 'x', ttl }, '/v2');
    assert.equal((await v2(1000)).status, 200);
    const reused = await v2(2000);
    assert.deepEqual([reused.status, reused.body.reason], [400, 'IDEMPOTENCY_KEY_REUSED']);
    const wrong = await post(owner, 'x'.repeat(256), `/devices/${device}/messages`, body);
    assert.equal(wrong.status, 400);
  });

  test('show a secret once', async () => {
    const { owner } = await station();
    const first = await post(owner, 'secret', '/devices', { name: 'Van' });
    assert.equal(typeof first.body.deviceKey, 'string');
    const again = await post(owner, 'secret', '/devices', { name: 'Van' });
    assert.deepEqual(again.body, { ...first.body, deviceKey: null });
    const token = await post(owner, 'secret', '/users/personalAccessTokens', { description: 'x', ttl: 1000 }, '/v2');
    const tokenAgain = await post(
      owner,
      'secret',
      '/users/personalAccessTokens',
      { description: 'x', ttl: 1000 },
      '/v2',
    );
    assert.deepEqual(tokenAgain.body, { ...token.body, token: null });
  });

  test('that were refused can be repeated with the same key', async () => {
    const { owner } = await station();
    const path = `/users/${owner.id}/geofences`;
    const refused = await post(owner, 'again', path, { name: 'No shape', radius: -1 });
    assert.equal(refused.status, 422, refused.text);
    const body = { name: 'Shape', center: { lat: 1, lng: 2 }, radius: 50 };
    assert.equal((await post(owner, 'again', path, body)).status, 200);
  });

  test('that come together are carried out once', async () => {
    const { owner, device } = await station();
    const path = `/devices/${device}/messages`;
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(owner, 'race', path, { message: 'race' })));
    for (const { status, headers } of answers)
      if (status === 409) assert.equal(headers['retry-after'], '1');
      else assert.equal(status, 200);
    const messages = await owner.client.listMessages({ id: device });
    assert.equal(messages.filter(({ message }) => message === 'race').length, 1);
    assert.equal((await post(owner, 'race', path, { message: 'race' })).status, 200);
  });
});

placesOnBothEngines('a create whose server was killed', { migrations: [] }, (open) => {
  describe('by a process', () => {
    const ends: (() => unknown)[] = [];
    after(async () => {
      for (const end of ends.reverse()) await end();
    });

    test('and is repeated with its key, is carried out once', async () => {
      const place = await open.migratedPlace(MIGRATIONS);
      let server = await startServer(open.storeKind, place);
      let api = apiOf(server.address);
      const { token, id } = await adminOf(api);
      const sent: string[] = [];
      for (let round = 0; round < 3; round++) {
        const create = (name: string) =>
          fetch(`${server.address}/api/users/${id}/geofences`, {
            method: 'POST',
            headers: { authorization: token, 'content-type': 'application/json', 'idempotency-key': name },
            body: JSON.stringify({ name, center: { lat: 1, lng: 2 }, radius: 50 }),
          }).then(
            async (response) => ((await response.text()) && response.status === 200 ? true : response.status),
            () => false,
          );
        const names = Array.from({ length: 30 }, (_, n) => `${round} ${n}`);
        sent.push(...names);
        let answered = 0;
        const underWay = names.map(async (name) => {
          const done = await create(name).catch(() => false);
          if (done === true && ++answered === 5 * (round + 1)) await server.kill();
          return done;
        });
        await Promise.all(underWay);
        api.close();
        await server.kill();
        server = await startServer(open.storeKind, place);
        api = apiOf(server.address);
        for (const name of names) assert.equal(await create(name), true, name);
      }
      const listed = await api('GET', `/api/users/${id}/geofences`, { token });
      assert.deepEqual((listed.body as { name: string }[]).map(({ name }) => name).sort(), sent.sort());
      api.close();
      await server.stop();
    });

    if (open.storeKind === 'postgres')
      test('or whose commit was not answered, is carried out once', async () => {
        const cutter = await commitCutter(await open.migratedPlace(MIGRATIONS));
        ends.push(() => cutter.close());
        const server = await startServer('postgres', cutter.url);
        ends.push(() => server.stop());
        const api = apiOf(server.address);
        ends.push(() => api.close());
        const { token, id } = await adminOf(api);
        const path = `${server.address}/api/users/${id}/geofences`;
        const create = async (name: string) => {
          const headers = { authorization: token, 'content-type': 'application/json', 'idempotency-key': name };
          const body = JSON.stringify({ name, center: { lat: 1, lng: 2 }, radius: 50 });
          const answer = await fetch(path, { method: 'POST', headers, body });
          await answer.text();
          return answer.status;
        };
        const names: string[] = [];
        // Other parts of the server commit too, so the one that is cut may be theirs.
        for (let isCut = false; !isCut; ) {
          cutter.cuts = 1;
          names.push(`Cut ${names.length}`);
          isCut = (await create(names.at(-1)!)) >= 500;
          cutter.cuts = 0;
          assert.equal(await create(names.at(-1)!), 200);
        }
        const listed = await api('GET', `/api/users/${id}/geofences`, { token });
        assert.deepEqual(
          (listed.body as { name: string }[]).map(({ name }) => name),
          names,
        );
      });
  });
});
