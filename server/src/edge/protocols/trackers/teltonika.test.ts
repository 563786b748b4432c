import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crcArc } from './bytes.ts';
import { anySession, protocolSuite } from './protocol-suite.ts';
import { avlData, imeiFrame, type TestIo, type TestRecord, tcpFrame, textData, udpFrame } from './teltonika/testing.ts';
import { teltonika } from './teltonika.ts';
import type { TrackerCommand, TrackerRecord } from './tracker.ts';

const IMEI = '356307042441013';
const WHEN = Date.parse('2025-03-04T05:06:07.890Z');
const SOMEWHERE: TestRecord = {
  timestamp: WHEN,
  lat: 48.2,
  lng: -16.37,
  altitudeM: -4,
  courseDeg: 359,
  sats: 9,
  speedKmh: 83,
};

const decode = (frame: Buffer, more = {}) => teltonika.decode(frame, { ...anySession, ...more });
const recordsOf = (codec: number, records: readonly TestRecord[]) => decode(tcpFrame(avlData(codec, records))).records;
/** The record of a periodic report, or of the event of the first value. */
function recordWith(
  io: readonly TestIo[],
  { eventId = 0, codec = 0x8e, model = undefined as string | undefined } = {},
) {
  const frame = tcpFrame(avlData(codec, [{ ...SOMEWHERE, eventId, io }]));
  const [record] = decode(frame, { model }).records;
  return record!;
}
const readingsOf = ({ readings = [] }: TrackerRecord) =>
  Object.fromEntries(readings.filter(({ type }) => type !== 'event_code').map(({ type, value }) => [type, value]));

const packet = tcpFrame(
  avlData(0x8e, [
    {
      ...SOMEWHERE,
      io: [
        { id: 239, hex: '01' },
        { id: 66, hex: '3223' },
      ],
    },
    {
      ...SOMEWHERE,
      eventId: 385,
      io: [{ id: 385, hex: `11 21 ${'0f'.repeat(20)} c4`.replaceAll(' ', ''), isVariable: true }],
    },
  ]),
);
protocolSuite(teltonika, [
  imeiFrame(IMEI),
  Buffer.concat([imeiFrame(IMEI), Buffer.from([0xff]), packet, tcpFrame(textData(0x0c, 6, Buffer.from('ok'))), packet]),
]);

test('the IMEI is answered with 01, and with 00 where the device may not report', () => {
  const decoded = decode(imeiFrame(IMEI));
  assert.deepEqual(decoded.identities, [IMEI]);
  assert.deepEqual(decoded.reply, { when: 'now', bytes: Buffer.from([1]), refusal: Buffer.from([0]) });
});

for (const [name, codec] of [
  ['8', 0x08],
  ['8 Extended', 0x8e],
  ['16', 0x10],
] as const)
  test(`codec ${name} gives each record its place, time and values`, () => {
    const io = [
      { id: 239, hex: '01' },
      { id: 21, hex: '04' },
      { id: 66, hex: '3223' },
      { id: 16, hex: '00001b05' },
      { id: 78, hex: '0102030405060708' },
    ];
    const frame = tcpFrame(
      avlData(codec, [
        { ...SOMEWHERE, io },
        { ...SOMEWHERE, timestamp: WHEN + 1000, io: [] },
      ]),
    );
    const { records, reply } = decode(frame);
    assert.equal(records.length, 2);
    const [first, second] = records;
    assert.deepEqual(first!.location, { lat: 48.2, lng: -16.37 });
    assert.deepEqual(
      [first!.timestamp, first!.isValid, first!.altitudeM, first!.courseDeg, first!.sats, first!.speedKmh],
      [WHEN, true, -4, 359, 9, 83],
    );
    assert.equal(first!.gsmSignal, 4);
    assert.deepEqual(readingsOf(first!), {
      ignition: true,
      ext_voltage: 12.835,
      odometer_m: 6917,
      driver_id: '0807060504030201',
    });
    assert.equal(second!.timestamp, WHEN + 1000);
    assert.deepEqual(reply, { when: 'afterDurable', bytes: Buffer.from('00000002', 'hex') });
  });

test('a record worked out by hand is read', () => {
  // 1 700 000 000 000 ms = 2023-11-14T22:13:20Z; longitude 10.0 = 05F5E100, latitude -5.0 = FD050F80.
  const data = `0801 0000018bcfe56800 01 05f5e100 fd050f80 0064 00b4 07 0032 f0 01 01 f001 00 00 00 01`.replaceAll(
    ' ',
    '',
  );
  const [record] = decode(tcpFrame(Buffer.from(data, 'hex'))).records;
  assert.equal(record!.timestamp, 1_700_000_000_000);
  assert.deepEqual(record!.location, { lat: -5, lng: 10 });
  assert.deepEqual([record!.altitudeM, record!.courseDeg, record!.sats, record!.speedKmh], [100, 180, 7, 50]);
  assert.deepEqual(record!.readings, [
    { type: 'moving', value: true },
    { type: 'event_code', value: 240, meta: { priority: 1 } },
  ]);
});

test('without satellites the place is the last known one', () => {
  const [record] = recordsOf(0x08, [{ ...SOMEWHERE, sats: 0 }]);
  assert.deepEqual(record!.location, { lat: 48.2, lng: -16.37 });
  assert.equal(record!.isValid, false);
  assert.equal(recordsOf(0x08, [{ timestamp: WHEN, sats: 5 }])[0]!.isValid, false, 'nobody is at 0, 0');
  const offGlobe = recordsOf(0x08, [{ timestamp: WHEN, lat: 100, lng: 200, sats: 5 }])[0]!;
  assert.deepEqual([offGlobe.location, offGlobe.isValid], [undefined, false]);
});

test('two events of one moment are two records', () => {
  const [first, second] = recordsOf(0x08, [
    { ...SOMEWHERE, eventId: 239, io: [{ id: 239, hex: '01' }] },
    { ...SOMEWHERE, eventId: 240, io: [{ id: 240, hex: '01' }] },
  ]);
  assert.notEqual(first!.recordId, second!.recordId);
});

test('a group of 16 bytes in old firmware is found by what does not add up without it', () => {
  const data = avlData(
    0x08,
    [
      {
        ...SOMEWHERE,
        io: [
          { id: 239, hex: '01' },
          { id: 9, hex: '00'.repeat(16) },
        ],
      },
    ],
    [1, 2, 4, 8, 16],
  );
  const { records, problem } = decode(tcpFrame(data));
  assert.equal(problem, undefined);
  assert.deepEqual(records[0]!.location, { lat: 48.2, lng: -16.37 });
});

test('counts that do not add up keep the packet from being read, and the device from sending it for ever', () => {
  const data = avlData(0x08, [SOMEWHERE, SOMEWHERE]);
  data[data.length - 1] = 3;
  const decoded = decode(tcpFrame(data));
  assert.deepEqual(decoded.records, []);
  assert.ok(decoded.problem);
  assert.deepEqual(decoded.reply?.bytes, Buffer.from('00000002', 'hex'));
});

test('a wrong checksum or length is damage, unless it is to be accepted', () => {
  const frame = tcpFrame(avlData(0x08, [SOMEWHERE]));
  const wrongSum = Buffer.from(frame);
  wrongSum[frame.length - 1]! ^= 1;
  const wrongLength = Buffer.from(frame);
  wrongLength[7]! ^= 1;
  for (const damaged of [wrongSum, wrongLength, frame.subarray(0, frame.length - 3)]) {
    assert.deepEqual([decode(damaged).isDamaged, decode(damaged).records], [true, []]);
    assert.equal(decode(damaged).reply, undefined);
    assert.equal(decode(damaged, { acceptsWrongChecksum: true }).records.length, 1);
  }
});

test('a datagram names the device and is answered by its own numbers', () => {
  const decoded = decode(udpFrame(IMEI, avlData(0x08, [SOMEWHERE, SOMEWHERE]), 0x1234, 0x56), { transport: 'udp' });
  assert.deepEqual(decoded.identities, [IMEI]);
  assert.equal(decoded.records.length, 2);
  assert.deepEqual(decoded.reply, { when: 'afterDurable', bytes: Buffer.from('00051234015602', 'hex') });
  const cut = udpFrame(IMEI, avlData(0x08, [SOMEWHERE])).subarray(0, 50);
  assert.deepEqual(decode(cut, { transport: 'udp' }).records, []);
  assert.equal(teltonika.recognise(udpFrame(IMEI, avlData(0x08, [SOMEWHERE]))), 'yes');
  assert.equal(teltonika.splitDatagram!(cut).frames.length, 1);
});

test('a ping is no report, and asks for no answer', () => {
  assert.deepEqual(decode(Buffer.from([0xff])), { records: [] });
});

test('values are read by their number and width', () => {
  const record = recordWith([
    { id: 240, hex: '00' },
    { id: 1, hex: '01' },
    { id: 179, hex: '01' },
    { id: 9, hex: '04d2' },
    { id: 67, hex: '0fe3' },
    { id: 68, hex: '005f' },
    { id: 113, hex: '57' },
    { id: 199, hex: '000000e1' },
    { id: 181, hex: '000b' },
    { id: 182, hex: '0007' },
    { id: 69, hex: '02' },
    { id: 200, hex: '04' },
    { id: 72, hex: 'ffffff38' },
    { id: 73, hex: '00000bb8' },
    { id: 25, hex: 'ff9c' },
    { id: 26, hex: '0bb8' },
    { id: 86, hex: '01f4' },
    { id: 104, hex: '7fff' },
    { id: 29, hex: '5a' },
    { id: 10800, hex: 'fb5d' },
    { id: 10804, hex: '49' },
    { id: 10824, hex: '0bf4' },
    { id: 10644, hex: '0866' },
    { id: 17, hex: 'ffe5' },
    { id: 18, hex: '001f' },
    { id: 19, hex: 'ffce' },
    { id: 85, hex: '03e8' },
    { id: 89, hex: '32' },
    { id: 115, hex: '0384' },
    { id: 389, hex: '0000000a' },
    { id: 207, hex: '00000000deadbeef' },
    { id: 24, hex: '0053' },
    { id: 999, hex: '2a' },
    { id: 256, hex: Buffer.from('1A1JC5444R7252367').toString('hex'), isVariable: true },
    { id: 281, hex: Buffer.from('P0100,P0200').toString('hex'), isVariable: true },
  ]);
  assert.deepEqual([record.batteryVoltage, record.batteryPct, record.hdop], [4.067, 87, 0.7]);
  assert.deepEqual(readingsOf(record), {
    moving: false,
    din1: true,
    dout1: true,
    ain1: 1.234,
    battery_ma: 95,
    trip_m: 225,
    pdop: 1.1,
    gnss_status: 'no fix',
    sleep_mode: 'ultra',
    temp: -20,
    ble_temp: -1,
    ble_humidity: 50,
    ble_battery: 90,
    eye_temp: -11.87,
    eye_humidity: 73,
    eye_battery_mv: 3060,
    probe_temp: 21.5,
    accel_3d: [-0.027, 0.031, -0.05],
    rpm: 1000,
    fuel_pct: 50,
    engine_temp: 90,
    obd_odometer_m: 10_000,
    driver_id: '00000000DEADBEEF',
    vin: '1A1JC5444R7252367',
    dtc: 'P0100,P0200',
    io: { 999: 42 },
  });
});

test('parts of a value that come apart are put together', () => {
  const readings = readingsOf(
    recordWith([
      { id: 205, hex: '223f' },
      { id: 206, hex: '7417' },
      { id: 241, hex: '00011d2a' },
      { id: 11, hex: '000000d14675f360' },
      { id: 14, hex: '0000000003fd509f' },
    ]),
  );
  assert.deepEqual(readings, {
    cell: { mcc: 730, mnc: 2, lac: 29719, cid: 8767 },
    iccid: '89883030000066932895',
  });
  const lte = [
    { id: 636, hex: '000a0b0c' },
    { id: 206, hex: '0102' },
    { id: 241, hex: '0004c2fe' },
  ];
  assert.deepEqual(readingsOf(recordWith(lte)), { cell: { mcc: 312, mnc: 62, lac: 258, cid: 658_188 } });
});

const EVENTS: readonly (readonly [id: number, value: string, alarm: string | undefined])[] = [
  [239, '01', 'ignitionOn'],
  [239, '00', 'ignitionOff'],
  [252, '01', 'powerCut'],
  [252, '00', 'powerRestored'],
  [246, '01', 'tow'],
  [246, '00', undefined],
  [247, '01', 'crash'],
  [247, '05', undefined],
  [249, '01', 'jamming'],
  [249, '00', undefined],
  [251, '01', 'idle'],
  [253, '01', 'harshAcceleration'],
  [253, '02', 'harshBraking'],
  [253, '03', 'harshCornering'],
  [255, '78', 'overspeed'],
  [155, '00', 'geofenceExit'],
  [159, '01', 'geofenceEnter'],
  [61, '03', 'overspeed'],
  [61, '02', undefined],
  [175, '00', 'geofenceExit'],
  [175, '01', 'geofenceEnter'],
  [236, '01', 'sos'],
  [240, '01', undefined],
];

for (const [id, hex, alarm] of EVENTS)
  test(`event ${id} = ${hex} is ${alarm ?? 'no alarm'}`, () => {
    assert.deepEqual(recordWith([{ id, hex }], { eventId: id }).alarms, alarm === undefined ? undefined : [alarm]);
    assert.equal(recordWith([{ id, hex }]).alarms, undefined, 'in a record that another value caused');
  });

test('the professional family gives other meanings to the same numbers', () => {
  const io = [
    { id: 252, hex: '01' },
    { id: 81, hex: '30' },
    { id: 25, hex: '0866' },
  ];
  assert.deepEqual(readingsOf(recordWith(io)), { obd_speed: 48, ble_temp: 21.5 });
  for (const record of [
    recordWith(io, { eventId: 252, model: 'FMB640' }),
    // 113 in four bytes is sent by that family only.
    recordWith([...io, { id: 113, hex: 'fffd8c85' }], { eventId: 252 }),
  ]) {
    assert.equal(record.alarms, undefined);
    assert.deepEqual(Object.keys(readingsOf(record)), ['io']);
  }
});

test('22 is the battery of a sensor only where the sensor is', () => {
  assert.deepEqual(readingsOf(recordWith([{ id: 22, hex: '03' }])), { io: { 22: 3 } });
  const both = recordWith([
    { id: 22, hex: '5f' },
    { id: 27, hex: '0866' },
  ]);
  assert.deepEqual(readingsOf(both), { ble_battery3: 95, ble_temp3: 21.5 });
});

test('beacons of a list are heard, each with its strength', () => {
  const ibeacon = `27 ${'00112233445566778899aabbccddeeff'} 0001 0203 c4 0130 0019`;
  const eddystone = `01 ${'00112233445566778899'} aabbccddeeff b5`;
  const hex = `11${ibeacon}${eddystone}`.replaceAll(' ', '');
  const { tagReadings, isValid } = recordWith([{ id: 385, hex, isVariable: true }], { eventId: 385 });
  assert.equal(isValid, true);
  assert.deepEqual(tagReadings, [
    {
      type: 'battery_mv',
      value: 3040,
      sensorDeviceId: '00112233-4455-6677-8899-aabbccddeeff-1-515',
      rssi: -60,
      meta: { temperatureRaw: 25 },
    },
    {
      type: 'ble_seen',
      value: '00112233445566778899-aabbccddeeff',
      sensorDeviceId: '00112233445566778899-aabbccddeeff',
      rssi: -75,
    },
  ]);
});

for (const id of [548, 10828, 10829, 10831, 11317])
  test(`tags of list ${id} are heard with what they say`, () => {
    const withLength = (parts: string) => {
      const bytes = parts.replaceAll(' ', '');
      return (bytes.length / 2).toString(16).padStart(2, '0') + bytes;
    };
    const named = withLength(
      `00 01 c4  0f 06 aabbcc001122  05 04 ${Buffer.from('Door').toString('hex')}  06 02 ff38  07 01 2d  08 01 01  09 01 00` +
        '0a 02 0102  0b 01 fb  0c 02 ff9c  0d 01 00  0e 02 0bb8',
    );
    // As an EYE sensor sends it: temperature 21.5, humidity 40 %, 3000 mV.
    const eye = withLength('00 01 b0  01 10 00112233445566778899aabbccddeeff  02 05 83 0866 28 64');
    // The whole advertisement of another maker: BTHome, battery 100 %.
    const other = withLength('00 01 a0  0f 06 aabbcc001133  02 07 06 16 d2fc 40 01 64');
    const mute = withLength('00 01 a1  0f 06 aabbcc001144');
    const { tagReadings } = recordWith([{ id, hex: `01${named}${eye}${other}${mute}`, isVariable: true }]);
    const said = (sensor: string) =>
      Object.fromEntries(
        tagReadings!.filter(({ sensorDeviceId }) => sensorDeviceId === sensor).map(({ type, value }) => [type, value]),
      );
    assert.deepEqual(said('AA:BB:CC:00:11:22'), {
      temp: -2,
      humidity: 45,
      magnet: true,
      motion: false,
      movement_count: 258,
      pitch: -5,
      roll: -100,
      low_battery: false,
      battery_mv: 3000,
    });
    assert.deepEqual(said('00112233445566778899-aabbccddeeff'), {
      temp: 21.5,
      humidity: 40,
      battery_mv: 3000,
      low_battery: false,
    });
    assert.deepEqual(said('AA:BB:CC:00:11:33'), { battery: 100 });
    assert.deepEqual(said('AA:BB:CC:00:11:44'), { ble_seen: 'AA:BB:CC:00:11:44' });
    assert.deepEqual(new Set(tagReadings!.map(({ rssi }) => rssi)), new Set([-60, -80, -96, -95]));
    assert.deepEqual(tagReadings![0]!.meta, { name: 'Door' });
  });

test('codec 16 says how a value caused the record', () => {
  const data = avlData(0x10, [
    { ...SOMEWHERE, priority: 1, eventId: 239, generation: 5, io: [{ id: 239, hex: '01' }] },
  ]);
  const [record] = decode(tcpFrame(data)).records;
  assert.deepEqual(record!.readings?.at(-1), {
    type: 'event_code',
    value: 239,
    meta: { priority: 1, cause: 'change' },
  });
});

test('a record of GH3000 has what its masks announce', () => {
  // 100 s after 2007; place, altitude, course, speed, satellites; the button held, battery 94 %, voltage 3.9 V.
  const record = '00000064 07 1f 425a0000 41ca0000 009e 40 05 07 02 de01 015e 01 43 0f3c'.replaceAll(' ', '');
  const { records, reply } = decode(tcpFrame(Buffer.from(`0701${record}01`, 'hex')));
  assert.deepEqual(reply?.bytes, Buffer.from('00000001', 'hex'));
  const [read] = records;
  assert.equal(new Date(read!.timestamp!).toISOString(), '2007-01-01T00:01:40.000Z');
  assert.deepEqual(read!.location, { lat: 54.5, lng: 25.25 });
  assert.deepEqual([read!.altitudeM, read!.courseDeg, read!.speedKmh, read!.sats], [158, 90, 5, 7]);
  assert.deepEqual([read!.alarms, read!.batteryPct, read!.batteryVoltage], [['sos'], 94, 3.9]);
});

test('the reply to a command is its text', () => {
  const reply = decode(tcpFrame(textData(0x0c, 0x06, Buffer.from('DOUT1:1 Timeout:INFINITY\r\n'))));
  assert.deepEqual(reply, { records: [], commandReply: { text: 'DOUT1:1 Timeout:INFINITY' } });
  assert.deepEqual(decode(tcpFrame(textData(0x0c, 0x06, Buffer.from('0103ff', 'hex')))).commandReply, {
    text: '0103ff',
  });
  const bcd = Buffer.from(`0${IMEI}`, 'hex');
  const named = decode(tcpFrame(textData(0x0e, 0x06, Buffer.concat([bcd, Buffer.from('ok')]))));
  assert.deepEqual([named.identities, named.commandReply], [[IMEI], { text: 'ok' }]);
  assert.equal(decode(tcpFrame(textData(0x0e, 0x11, bcd))).commandReply?.isFailure, true);
});

test('text of the serial port has the time of the device', () => {
  const time = Buffer.from('65540a40', 'hex');
  const at = 0x65540a40 * 1000;
  const text = decode(tcpFrame(textData(0x0d, 0x06, Buffer.concat([time, Buffer.from('hello\r\n')]))));
  assert.deepEqual(text.records, [{ timestamp: at, isValid: false, readings: [{ type: 'text', value: 'hello' }] }]);
  const card = decode(tcpFrame(textData(0x0d, 0x06, Buffer.concat([time, Buffer.from('GTSL|6|1|0|4711|1|\r\n')]))));
  assert.deepEqual(card.records[0]!.readings, [{ type: 'driver_id', value: '4711' }]);
  const payload = Buffer.concat([time, Buffer.from(`0${IMEI}`, 'hex'), Buffer.from('Hello!\n')]);
  const named = decode(tcpFrame(textData(0x0f, 0x0b, payload)));
  assert.deepEqual([named.identities, named.records[0]!.timestamp], [[IMEI], at]);
  assert.deepEqual(named.records[0]!.readings, [{ type: 'text', value: 'Hello!' }]);
});

/** Reads a command as the device does: checks every length and the checksum. */
function readByDevice(bytes: Buffer): string {
  assert.equal(bytes.readUInt32BE(0), 0);
  const size = bytes.readUInt32BE(4);
  assert.equal(bytes.length, size + 12);
  assert.equal(bytes.readUInt32BE(bytes.length - 4), crcArc(bytes, 8, 8 + size));
  assert.deepEqual([...bytes.subarray(8, 11)], [0x0c, 1, 5]);
  const length = bytes.readUInt32BE(11);
  assert.equal(size, length + 8);
  assert.equal(bytes[15 + length], 1);
  return bytes.toString('latin1', 15, 15 + length);
}

test('a device reads the commands that it is sent', () => {
  const sent = (command: Omit<TrackerCommand, 'number'>) => {
    const encoded = teltonika.encode!({ ...command, number: 1 } as TrackerCommand, anySession);
    return encoded && readByDevice(encoded.bytes);
  };
  assert.equal(sent({ text: 'getinfo' }), 'getinfo');
  assert.equal(sent({ text: '0103FF' }), '\u0001\u0003\u00ff', 'bytes for the serial port');
  assert.equal(sent({ name: 'position', parameters: {} }), 'getgps');
  assert.equal(sent({ name: 'reboot', parameters: {} }), 'cpureset');
  assert.equal(sent({ name: 'engineStop', parameters: {} }), 'setdigout 1?');
  assert.equal(sent({ name: 'engineResume', parameters: {} }), 'setdigout 0?');
  assert.equal(sent({ name: 'output', parameters: { output: 2, on: true } }), 'setdigout ?1');
  assert.equal(sent({ name: 'output', parameters: { output: 1, on: true, seconds: 60 } }), 'setdigout 1? 60 ?');
  assert.equal(sent({ name: 'output', parameters: { output: 9, on: true } }), undefined);
  assert.equal(sent({ name: 'interval', parameters: { seconds: 10 } }), undefined);
  assert.equal(sent({ text: 'größer' }), undefined);
});
