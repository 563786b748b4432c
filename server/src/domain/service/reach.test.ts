import assert from 'node:assert/strict';
import type { NetworkInterfaceInfo } from 'node:os';
import { test } from 'node:test';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeUser } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { addressesIn, reachOperations, serverReach } from './reach.ts';

const at = (address: string, more: object = {}) =>
  ({ address, family: 'IPv4', internal: false, ...more }) as NetworkInterfaceInfo;
const networks = {
  lo: [at('127.0.0.1', { internal: true })],
  eth0: [at('192.168.1.20'), at('fe80::1', { family: 'IPv6' })],
  wlan0: [at('169.254.7.7')],
  docker0: [at('172.17.0.1')],
};

/** Listeners that open all but one address. */
function listeners() {
  let open: readonly string[] = [];
  return {
    addresses: () => open,
    async listenOn(addresses: readonly string[], port: number) {
      assert.equal(port, 8080);
      open = addresses.filter((address) => address !== '10.0.0.9');
    },
  };
}

onEitherEngine<Tables>('how devices reach the server', { migrations: MIGRATIONS }, (open) => {
  const reachOf = (
    store: Store,
    publicUrl: string,
    host: string,
    address = 'http://127.0.0.1:8080',
    networkAddresses: () => readonly string[] = () => addressesIn(networks),
  ) => serverReach(store, { publicUrl, host, address: () => address, networkAddresses, listeners: listeners() });

  test('devices get addresses that they can reach', async () => {
    const store = await open();
    const urls = async (...given: [string, string, string]) =>
      (await reachOf(store, ...given).current()).addresses.map(({ url }) => url);
    assert.deepEqual(await urls('', '0.0.0.0', 'http://127.0.0.1:8080'), ['http://192.168.1.20:8080']);
    assert.deepEqual(await urls('', '::', 'http://[::1]:80'), ['http://192.168.1.20:80']);
    assert.deepEqual(await urls('', '192.168.1.20', 'https://192.168.1.20'), ['https://192.168.1.20:443']);
    assert.deepEqual(await urls('https://t.example.com/', '0.0.0.0', 'http://127.0.0.1:8080'), [
      'https://t.example.com',
    ]);
    assert.deepEqual(await urls('', '0.0.0.0', ''), [], 'not before it listens');
    for (const host of ['127.0.0.1', 'localhost', '::1'])
      assert.deepEqual(await reachOf(store, '', host).current(), { addresses: [], localNetwork: 'off' }, host);
  });

  test('an admin opens the local network, which later starts and changed addresses follow', async () => {
    const store = await open();
    const admin = await makeUser(store, 'admin@example.com');
    let addresses = ['192.168.1.20', '10.0.0.9', '203.0.113.5'];
    const start = () => reachOf(store, '', '127.0.0.1', undefined, () => addresses);
    const first = start();
    await first.follow();
    assert.deepEqual([await first.isUndecided(), (await first.current()).addresses], [true, []]);
    const { setNetworkAccess } = reachOperations(first);
    const set = (isOpen: boolean) => setNetworkAccess(callOf(admin, { body: { isOpen } }) as never);
    const opened = { addresses: [{ url: 'http://192.168.1.20:8080', kind: 'network' }], localNetwork: 'on' };
    assert.deepEqual(await set(true), opened, 'without the one that cannot be opened, and the public one');
    const second = start();
    await second.follow();
    assert.deepEqual([await second.isUndecided(), await second.current()], [false, opened]);
    addresses = ['192.168.7.3'];
    await second.follow();
    assert.equal((await second.current()).addresses[0]?.url, 'http://192.168.7.3:8080');
    assert.deepEqual(await set(false), { addresses: [], localNetwork: 'off' });
    await second.follow();
    assert.deepEqual(await second.current(), { addresses: [], localNetwork: 'off' });
    assert.equal(await second.isUndecided(), false);
    const entries = await store.query.selectFrom('auditEntries').select(['action', 'actorId', 'detail']).execute();
    assert.deepEqual(
      entries.map(({ action, actorId, detail }) => [action, actorId, JSON.parse(detail!)]),
      [true, false].map((isOpen) => ['network.changed', admin.userId, { isOpen }]),
    );
  });

  test('where a setting decides, the local network is not switched', async () => {
    const store = await open();
    for (const [reach, localNetwork] of [
      [reachOf(store, '', '0.0.0.0'), 'always'],
      [reachOf(store, 'https://t.example.com', '127.0.0.1'), 'proxy'],
    ] as const) {
      assert.deepEqual([(await reach.current()).localNetwork, await reach.isUndecided()], [localNetwork, false]);
      await assert.rejects(reach.setAccess(true), { statusCode: 409, code: 'NETWORK_ACCESS_FIXED' });
    }
  });
});
