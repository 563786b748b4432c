import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cayenneFields } from './cayenne.ts';

const read = (hex: string) => cayenneFields(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

test('items of a payload are read by their kinds', () => {
  assert.deepEqual(read('03 67 0110 05 67 00FF'), { temperature_3: 27.2, temperature_5: 25.5 });
  assert.deepEqual(read('01 67 FFD7'), { temperature_1: -4.1 });
  assert.deepEqual(read('06 71 04D2 FB2E 0000'), { accelerometer_6: { x: 1.234, y: -1.234, z: 0 } });
  assert.deepEqual(read('01 88 06765F F2960A 0003E8'), {
    gps_1: { latitude: 42.3519, longitude: -87.9094, altitude: 10 },
  });
  assert.deepEqual(read('02 68 64 03 73 2792 04 65 0102 05 02 FF9C 06 74 014A'), {
    relative_humidity_2: 50,
    barometric_pressure_3: 1013,
    luminosity_4: 258,
    analog_in_5: -1,
    voltage_6: 3.3,
  });
  assert.deepEqual(read('01 85 69A42A40 02 82 000003E8'), { time: 1_772_366_400, distance_2: 1 });
});

test('what is not all of this format is not taken for it', () => {
  for (const hex of [
    '',
    '03',
    '0367',
    '036701',
    '03670110FF',
    '0399 0110',
    // Impossible values.
    '01 67 7FFF',
    '01 68 FF',
    '01 88 7FFFFF 000000 000000',
    // Twice the same channel.
    '01 67 0001 01 67 0002',
    // Any three bytes may look like this.
    '01 00 01',
  ])
    assert.equal(read(hex), undefined, hex);
});
