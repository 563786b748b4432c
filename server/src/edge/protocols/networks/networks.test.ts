import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkProtocols } from './networks.ts';
import { rawFrameOf } from './raw-body.ts';

/** A sequence that is the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

const GOOD: Record<string, { query: string; body: object }[]> = {
  tts: [
    {
      query: '',
      body: {
        end_device_ids: { device_id: 'probe', dev_eui: '70B3D57ED0012ABC', dev_addr: '260B1234' },
        correlation_ids: ['as:up:1'],
        uplink_message: {
          f_port: 2,
          f_cnt: 3,
          frm_payload: 'AWcA4Q==',
          decoded_payload: { lat: 1, lon: 2, temp: [3], deep: { value: { x: 1, y: 2, z: 3 } }, alarm: 'sos' },
          rx_metadata: [{ gateway_ids: { eui: '0016C001F153A14C' }, rssi: -9, snr: 1 }],
          settings: { data_rate: { lora: { spreading_factor: 7 } } },
          locations: { 'frm-payload': { latitude: 1 } },
          last_battery_percentage: { value: 9, received_at: '2026-03-01T12:00:00Z' },
        },
      },
    },
    {
      query: '',
      body: { end_device_ids: { device_id: 'p' }, location_solved: { location: { latitude: 1, source: 'x' } } },
    },
    { query: '', body: { end_device_ids: { device_id: 'p' }, downlink_failed: { downlink: {}, error: {} } } },
  ],
  chirpstack: ['up', 'status', 'location', 'ack', 'txack', 'log', 'join', 'other'].map((event) => ({
    query: `event=${event}`,
    body: {
      deviceInfo: { devEui: '70b3d57ed0012abc' },
      deduplicationId: 'd',
      time: '2026-03-01T12:00:00Z',
      data: 'AWcA4Q==',
      object: { gps_1: { latitude: 1, longitude: 2 } },
      rxInfo: [{ gatewayId: '0016c001f153a14c', rssi: -1 }],
      margin: 3,
      batteryLevel: 4,
      location: { latitude: 1, longitude: 2, source: 'GPS' },
      description: 'x',
    },
  })),
  sigfox: [
    {
      query: 'device=1A&time=1772366340',
      body: {
        data: '00',
        ack: true,
        computedLocation: { lat: 1, lng: 2, radius: 3 },
        duplicates: [{ bsId: '1' }],
        temp: '4',
      },
    },
  ],
};

const ODD: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  'x',
  '',
  '\0',
  '\ud800',
  [],
  {},
  [[1]],
  'A'.repeat(2000),
  { value: {} },
];

/** The same with one of its values replaced. */
function changed(value: unknown, next: (below: number) => number): unknown {
  if (typeof value !== 'object' || value === null || next(4) === 0) return ODD[next(ODD.length)];
  const entries = Object.entries(value);
  const at = next(Math.max(1, entries.length));
  const list = entries.map(([name, one], index) => [name, index === at ? changed(one, next) : one] as const);
  return Array.isArray(value) ? list.map(([, one]) => one) : Object.fromEntries(list);
}

for (const protocol of networkProtocols)
  test(`${protocol.name}: nothing that is posted is thrown over, and what is read is bounded`, () => {
    const next = numbers(7);
    for (const { query, body } of GOOD[protocol.name]!)
      for (let round = 0; round < 300; round++) {
        const text = JSON.stringify(round === 0 ? body : changed(body, next));
        const cut = round % 10 === 9 ? text.slice(0, next(text.length)) : text;
        for (const contentType of ['application/json', 'application/x-www-form-urlencoded']) {
          const asked = { query: [...new URLSearchParams(query)], contentType, body: cut, now: 1_772_366_400_000 };
          const message = protocol.decode(asked);
          if ('notUsable' in message) continue;
          assert.ok(message.names.length > 0);
          assert.ok(JSON.stringify(message).length < 20_000);
          assert.equal(typeof (message.report.asSent?.() ?? ''), 'string');
          protocol.downlink?.(message, []);
        }
      }
  });

test('a frame comes as bytes, or in JSON with the name of its SIM card', () => {
  const bytes = Buffer.from('*HQ,1234567890,HTBT#');
  const raw = (body: Buffer | object, headers: Record<string, string> = {}) =>
    rawFrameOf(
      Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)),
      Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json',
      headers,
    );
  assert.deepEqual(raw(bytes, { 'x-iccid': '89882' }), { bytes, names: ['89882'] });
  assert.deepEqual(raw({ data: bytes.toString('base64'), device: 'a' }), { bytes, names: ['a'] });
  assert.deepEqual(raw({ data: bytes.toString('hex'), imei: 1234 }), { bytes, names: ['1234'] });
  assert.deepEqual(raw({ payload: { type: 'BINARY', value: bytes.toString('base64') }, device: { id: '89882' } }), {
    bytes,
    names: ['89882'],
  });
  for (const body of [Buffer.alloc(0), {}, { data: 7 }, { data: 'not base64!' }, { data: 'zz', encoding: 'hex' }])
    assert.ok('notUsable' in raw(body), JSON.stringify(body));
});
