import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEitherEngine } from '../../testing/databases.ts';
import { makeDevice, makeUser, shareWith } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Tables } from '../schema/tables.ts';
import { deviceAccess } from './access.ts';
import { deviceIdentifiers } from './identifiers.ts';

onEitherEngine<Tables>('identifiers of devices', { migrations: MIGRATIONS }, (open) => {
  test('a device is named by its id, serial number or IMEI, and only for users who may see it', async () => {
    const store = await open();
    const [owner, guest, stranger] = [
      await makeUser(store, 'owner@example.com'),
      await makeUser(store, 'guest@example.com'),
      await makeUser(store, 'stranger@example.com'),
    ];
    const van = await makeDevice(store, owner.userId, { serial: 'A-1', imei: '350000000000001' });
    // Its serial number is the id of the van, its IMEI that of a device that is not there.
    const truck = await makeDevice(store, guest.userId, { serial: String(van), imei: '99' });
    await shareWith(store, van, guest.userId, 'view');
    const named = deviceIdentifiers(store, deviceAccess(store));
    const idOf = async (caller: typeof owner, text: string) => (await named(caller, text))?.deviceId;

    for (const text of [
      `id:${van}`,
      `ID:${van}.0`,
      'serial:A-1',
      'imei:350000000000001',
      String(van),
      'A-1',
      ' 350000000000001 ',
    ])
      assert.equal(await idOf(owner, text), van, text);
    assert.deepEqual(await named(owner, 'A-1'), { deviceId: van, right: 'own' });
    assert.deepEqual(await named(guest, 'A-1'), { deviceId: van, right: 'view' });
    assert.equal(await idOf(guest, String(van)), van, 'an id that is seen goes first');
    assert.equal(await idOf(guest, `serial:${van}`), truck);
    assert.equal(await idOf(guest, '99'), truck, 'an IMEI, since nothing else is seen');
    for (const text of [String(van), 'A-1', `id:${van}`, 'imei:350000000000001', `serial:${van}`])
      assert.equal(await idOf(stranger, text), undefined, text);
    for (const text of ['', 'id:', 'id:A-1', 'serial:', 'imei:A-1', 'a-1', 'x\0', 'x'.repeat(5000), 'id:0x1'])
      assert.equal(await idOf(owner, text), undefined, text.slice(0, 20));
    const limited = { ...owner, scope: { access: 'full' as const, deviceIds: [truck] } };
    assert.equal(await idOf(limited, 'A-1'), undefined, 'out of reach of the token');
  });
});
