import assert from 'node:assert/strict';
import { test } from 'node:test';
import { saidIn } from './fields.ts';

const valuesOf = (payload: Record<string, unknown>) =>
  Object.fromEntries(saidIn(payload).readings.map(({ type, value }) => [type, value]));

test('names of makers become the words of the product', () => {
  assert.deepEqual(valuesOf({ TempC_SHT: 21.5, Hum_SHT: 40, BatV: 3.6, ILL_lx: 12, Door: 1, MD: 'Move' }), {
    temp: 21.5,
    humidity: 40,
    battery_voltage: 3.6,
    ILL_lx: 12,
    door: true,
    motion: 'Move',
  });
  assert.deepEqual(valuesOf({ temperature_1: 1, temperature_2: 2, relative_humidity_3: 50, luminosity_4: 7 }), {
    temp: 1,
    temp2: 2,
    humidity: 50,
    light: 7,
  });
  assert.deepEqual(valuesOf({ temperatureSensor: { 1: 23.5 }, humiditySensor: { 2: 50 }, barometer: { 3: 1013 } }), {
    temp: 23.5,
    humidity: 50,
    pressure: 1013,
  });
  assert.deepEqual(valuesOf({ air: { temperature: 5, pressure: 101_300 }, temp_f: 41, template: 3 }), {
    temp: 5,
    pressure: 1013,
    temp_f: 41,
    template: 3,
  });
  assert.deepEqual(valuesOf({ temp: { value: 4, unit: '°C' } }), { temp: 4 });
});

test('a position is found wherever it stands, with what belongs to it', () => {
  for (const payload of [
    { lat: 46.5, lon: 11.3, alt: 250, sats: 7, hdop: 1.1, speed: 36, heading: 90 },
    { gps_3: { latitude: 46.5, longitude: 11.3, altitude: 250 }, satellites: 7, hdop: 1.1, speed_ms: 10, course: 90 },
    {
      gpsLocation: {
        1: { latitude: 46.5, longitude: 11.3, altitude: 250, sats: 7, hdop: 1.1, speed: 36, heading: 90 },
      },
    },
  ]) {
    const { point, readings } = saidIn(payload);
    assert.deepEqual(point, {
      location: { lat: 46.5, lng: 11.3 },
      altitudeM: 250,
      sats: 7,
      hdop: 1.1,
      speedKmh: 36,
      courseDeg: 90,
    });
    assert.deepEqual(readings, []);
  }
});

test('the time of a fix is taken, that of a clock that does not run is not', () => {
  const place = { Latitude: 1, Longitude: 2 };
  assert.equal(saidIn({ ...place, timestamp: 1_772_366_400 }).point.timestamp, 1_772_366_400_000);
  assert.equal(saidIn({ ...place, time: '2026-03-01T12:00:00Z' }).point.timestamp, 1_772_366_400_000);
  assert.equal(saidIn({ ...place, time: 17 }).point.timestamp, undefined);
  assert.deepEqual(valuesOf({ time: 17, speed: 3 }), { time: 17, speed: 3 }, 'without a place they are values');
});

test('a coordinate that can’t be read stays wrong, for the quarantine', () => {
  assert.deepEqual(saidIn({ lat: 'north', lon: 8 }).point.location, { lat: Number.NaN, lng: 8 });
  assert.equal(saidIn({ lat: null, lon: null }).hasPlace, false);
});

test('a battery is percent or volts, by its name and its size', () => {
  const battery = (payload: Record<string, unknown>) => {
    const { batteryPct, batteryVoltage } = saidIn(payload).point;
    return [batteryPct, batteryVoltage];
  };
  assert.deepEqual(battery({ battery: 87 }), [87, undefined]);
  assert.deepEqual(battery({ battery: 3600 }), [undefined, 3.6]);
  assert.deepEqual(battery({ battery: 3.6 }), [undefined, 3.6]);
  assert.deepEqual(battery({ battery: 0 }), [0, undefined]);
  assert.deepEqual(battery({ battery_level: 3 }), [3, undefined]);
  assert.deepEqual(battery({ vbat: 3.1 }), [undefined, 3.1]);
  assert.deepEqual(battery({ bat: 3312 }), [undefined, 3.312]);
  assert.deepEqual(battery({ Bat: 90 }), [90, undefined]);
  assert.deepEqual(battery({ battery: 'low' }), [undefined, undefined]);
});

test('an alarm is raised while it is on', () => {
  assert.equal(saidIn({ Alarm_status: 'TRUE' }).point.alertType, 8);
  assert.deepEqual(valuesOf({ sos: 1 }), { alarm: 'sos' });
  assert.deepEqual(valuesOf({ alarm: true }), { alarm: 'general' });
  for (const off of [false, 0, 'FALSE', 'none']) assert.equal(saidIn({ alarm: off }).point.alertType, undefined);
});

test('acceleration is one value of three', () => {
  assert.deepEqual(valuesOf({ accelerometer_2: { x: 0.1, y: 0, z: -1 } }), { accel_3d: [0.1, 0, -1] });
});

test('what is deep, long or much is bounded', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`);
  assert.deepEqual(saidIn(deep).readings, []);
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`f${index}x`, index]));
  assert.equal(saidIn(wide).readings.length, 100);
  assert.deepEqual(saidIn({ ['n'.repeat(300)]: 1, '': 2, list: Array(1000).fill(1) }).readings, []);
});
