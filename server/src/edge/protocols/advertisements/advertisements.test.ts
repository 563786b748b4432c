import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isChangingAddress, readAdvertisement, sightingsIn } from './advertisements.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(/[\s|]/g, ''), 'hex');
/** An element: its length, type and data. */
function element(type: number, data: string): string {
  const bytes = hex(data);
  return Buffer.concat([Buffer.from([bytes.length + 1, type]), bytes]).toString('hex');
}
const valuesOf = (advertisement: string) =>
  Object.fromEntries(readAdvertisement(hex(advertisement))!.readings.map(({ type, value }) => [type, value]));

const FLAGS = element(0x01, '06');

test('an iBeacon is known by its UUID, major and minor', () => {
  const beacon = FLAGS + element(0xff, '4c00 0215 000102030405060708090a0b0c0d0e0f 0001 ffff c5');
  const id = '00010203-0405-0607-0809-0a0b0c0d0e0f-1-65535';
  assert.deepEqual(sightingsIn(hex(beacon), { address: 'AA:BB:CC:00:00:01', rssi: -60 }), [
    {
      type: 'ble_seen',
      value: id,
      sensorDeviceId: id,
      rssi: -60,
      meta: { txPower: -59, address: 'AA:BB:CC:00:00:01' },
    },
  ]);
});

test('Eddystone tells who it is, and how it is', () => {
  const uid = readAdvertisement(hex(element(0x16, 'aafe 00 e7 00112233445566778899 aabbccddeeff 0000')));
  assert.equal(uid?.sensorDeviceId, '00112233445566778899-aabbccddeeff');
  assert.equal(uid?.txPower, -25);
  // 3000 mV, -1.5 °C, 7 advertisements, 20 s.
  assert.deepEqual(valuesOf(element(0x16, 'aafe 20 00 0bb8 fe80 00000007 000000c8')), { battery_mv: 3000, temp: -1.5 });
  assert.deepEqual(valuesOf(element(0x16, 'aafe 20 00 0000 8000 00000007 000000c8')), {}, 'neither is measured');
  assert.equal(readAdvertisement(hex(element(0x16, `aafe 20 01 ${'00'.repeat(16)}`)))?.isEncrypted, true);
});

test('BTHome objects are read in their order', () => {
  const read = readAdvertisement(
    hex(
      element(0x16, 'd2fc 40 | 00 2a | 01 64 | 02 ca09 | 03 bf13 | 04 138a01 | 05 138a14 | 0c 020c | 12 e204 | 21 01'),
    ),
  );
  assert.equal(read?.packetId, 42);
  assert.deepEqual(Object.fromEntries(read!.readings.map(({ type, value }) => [type, value])), {
    battery: 100,
    temp: 25.06,
    humidity: 50.55,
    pressure: 1008.83,
    light: 13460.67,
    ext_voltage: 3.074,
    co2: 1250,
    motion: true,
  });
  assert.deepEqual(valuesOf(element(0x16, 'd2fc 44 | 2d 00 | 2e 23 | 3a 04 | 3a 01 | 3f f6ff | 40 0c00 | 45 1101')), {
    window: false,
    humidity: 35,
    button: 'long_press',
    button2: 'press',
    rotation: -1,
    distance_mm: 12,
    temp: 27.3,
  });
});

test('BTHome that is encrypted, of another version or unknown gives no values', () => {
  assert.equal(readAdvertisement(hex(element(0x16, 'd2fc 41 a47266c95f73 00112233 78237214')))?.isEncrypted, true);
  assert.deepEqual(readAdvertisement(hex(element(0x16, 'd2fc 20 0164')))?.formats, []);
  assert.deepEqual(valuesOf(element(0x16, 'd2fc 40 | 01 64 | ee 01 | 02 ca09')), { battery: 100 });
});

test('Ruuvi RAWv2 is read as its maker publishes it', () => {
  const read = readAdvertisement(hex(element(0xff, '9904 05 12FC 5394 C37C 0004 FFFC 040C AC36 42 00CD CBB8334C884F')));
  assert.equal(read?.sensorDeviceId, 'CB:B8:33:4C:88:4F');
  assert.equal(read?.packetId, 205);
  assert.equal(read?.txPower, 4);
  assert.deepEqual(Object.fromEntries(read!.readings.map(({ type, value }) => [type, value])), {
    temp: 24.3,
    humidity: 53.49,
    pressure: 1000.44,
    accel_3d: [0.004, -0.004, 1.036],
    battery_mv: 2977,
    movement_count: 66,
  });
  assert.deepEqual(valuesOf(element(0xff, '9904 05 8000 FFFF FFFF 8000 8000 8000 FFFF FF FFFF FFFFFFFFFFFF')), {});
});

test('Minew sensors give their address last byte first', () => {
  const read = readAdvertisement(hex(element(0x16, 'e1ff a1 01 64 1540 3280 563412 3f23ac')));
  assert.equal(read?.sensorDeviceId, 'AC:23:3F:12:34:56');
  assert.deepEqual(Object.fromEntries(read!.readings.map(({ type, value }) => [type, value])), {
    battery: 100,
    temp: 21.25,
    humidity: 50.5,
  });
  assert.deepEqual(valuesOf(element(0x16, 'e1ff a1 03 5a ff00 0080 0100 5634123f23ac')), {
    battery: 90,
    accel_3d: [-1, 0.5, 1],
  });
  const info = readAdvertisement(
    hex(element(0x16, `e1ff a1 08 5a 5634123f23ac ${Buffer.from('PLUS').toString('hex')}`)),
  );
  assert.deepEqual(info?.readings, [{ type: 'battery', value: 90, meta: { name: 'PLUS' } }]);
});

test('a Teltonika EYE sensor sends what its flags announce', () => {
  // Temperature 21.5, humidity 40 %, magnet present and near, moving for the third time, pitch -5, roll 100, 3000 mV.
  assert.deepEqual(valuesOf(element(0xff, '9a08 01 bf 0866 28 8003 fb 0064 64')), {
    temp: 21.5,
    humidity: 40,
    magnet: true,
    motion: true,
    angle: { pitch: -5, roll: 100 },
    battery_mv: 3000,
    low_battery: false,
  });
  assert.deepEqual(valuesOf(element(0xff, '9a08 01 41 fb2e')), { temp: -12.34, low_battery: true });
  assert.deepEqual(readAdvertisement(hex(element(0xff, '9a08 01 bf 0866')))?.formats, [], 'too short for its flags');
});

test('what nobody can be named for is not heard', () => {
  const unknown = FLAGS + element(0x09, Buffer.from('Lamp').toString('hex'));
  assert.deepEqual(sightingsIn(hex(unknown), { rssi: -40 }), []);
  assert.deepEqual(sightingsIn(hex(unknown), { address: '11:22:33:44:55:66', isAddressChanging: true }), []);
  assert.deepEqual(sightingsIn(hex(unknown), { address: '11:22:33:44:55:66', rssi: -40 }), [
    { type: 'ble_seen', value: 'Lamp', sensorDeviceId: '11:22:33:44:55:66', rssi: -40 },
  ]);
  assert.deepEqual(sightingsIn(hex('09ffff'), { address: '11:22:33:44:55:66' }), [
    { type: 'ble_seen', value: '09ffff', sensorDeviceId: '11:22:33:44:55:66' },
  ]);
});

test('an address changes if it is random and not static', () => {
  assert.equal(isChangingAddress('4A:00:00:00:00:00', true), true);
  assert.equal(isChangingAddress('0A:00:00:00:00:00', true), true);
  assert.equal(isChangingAddress('CA:00:00:00:00:00', true), false);
  assert.equal(isChangingAddress('4A:00:00:00:00:00', false), false);
});

test('nothing that is heard makes a format throw', () => {
  const heads = ['4c000215', 'aafe00', 'aafe20', 'd2fc40', '990405', 'e1ffa101', 'e1ffa103', 'e1ffa108', '9a0801'];
  fc.assert(
    fc.property(
      fc.constantFrom(0x16, 0xff),
      fc.constantFrom(...heads),
      fc.uint8Array({ maxLength: 26 }),
      (type, head, remaining) => {
        sightingsIn(hex(element(type, head + Buffer.from(remaining).toString('hex'))), {
          address: '11:22:33:44:55:66',
        });
      },
    ),
    { numRuns: 1000 },
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => void sightingsIn(Buffer.from(bytes), {})));
});
