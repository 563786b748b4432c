import { i32, u8, u16, u32 } from '../bytes.ts';
import { macAt, type RecordDraft, read, readCells } from '../record/networks.ts';
import { ALARMS_OF_MODULES } from './alarms.ts';
import { timeAt } from './clock.ts';
import type { Gt06Reader } from './frame.ts';
import { readIgnition, readPlace } from './gps-block.ts';
import { cardAt } from './locations.ts';
import { eachModule, hundredths } from './status.ts';

/** 94: kind 1, then its data. In a short frame it is a voltage. */
export const read94: Gt06Reader = (draft, { content, isLong, session }) => {
  if (!isLong) {
    read(draft, 'ext_voltage', hundredths(u16(content, 0)));
    return true;
  }
  const kind = u8(content, 0);
  const text = () => content.toString('latin1', 1);
  if (kind === 0x00) read(draft, 'ext_voltage', hundredths(u16(content, 1)));
  else if (kind === 0x04) readPairs(draft, text());
  else if (kind === 0x05) {
    const hasTime = content.length >= 8;
    if (hasTime) draft.timestamp = timeAt(content, 1, session);
    const flags = u8(content, hasTime ? 7 : 1);
    if (flags !== undefined) read(draft, 'door', (flags & 1) !== 0);
  } else if (kind === 0x0a) read(draft, 'iccid', content.toString('hex', 17, 27).replace(/f+$/, ''));
  else if (kind === 0x0b && content.length === 3) read(draft, 'ext_voltage', hundredths(u16(content, 1)));
  else if (kind === 0x0d) readFuel(draft, text());
  else if (kind === 0x1b) {
    const isText = /^[A-Za-z]/.test(text());
    read(draft, isText ? 'text' : 'driver_id', isText ? text().trim() : cardAt(content, 3, 4));
  } else if (kind === 0x1e) {
    const [degrees, humidity] = [i32(content, 1), i32(content, 5)];
    if (degrees !== undefined) read(draft, 'temp', degrees / 10);
    if (humidity !== undefined) read(draft, 'humidity', humidity / 10);
  }
  return true;
};

/** `ALM1=45;STA1=40;DYD=01;…`: only the state of the engine cut-off and the SIM number are known. */
function readPairs(draft: RecordDraft, text: string): void {
  for (const pair of text.split(';')) {
    const [name, value = ''] = pair.split('=', 2);
    if (name === 'DYD' && /^[0-9A-F]{2}$/i.test(value)) read(draft, 'engine_cut', Number.parseInt(value, 16) !== 0);
    else if (name === 'ICCID') read(draft, 'iccid', value.replace(/F+$/i, ''));
  }
}

/** `!AIOIL,02,002.720,029.500,524J,0100,003.400,0,00,93`: temperature and level of a fuel sensor. */
function readFuel(draft: RecordDraft, text: string): void {
  const start = text.indexOf('!AIOIL,');
  const fields = start < 0 ? [] : text.slice(start).split(',');
  if (fields.length < 7) return;
  read(draft, 'temp', Number(fields[3]));
  read(draft, 'fuel_l', Number(fields[6]));
}

/** 70: modules with two-byte lengths. */
export const read70: Gt06Reader = (draft, { content }) => {
  eachModule(content, 0, 2, (id, value) => {
    if (id === 0x03) read(draft, 'iccid', value.toString('hex', 0, 10).replace(/f+$/, ''));
    else if (id === 0x09) draft.sats ??= u8(value, 0);
    else if (id === 0x11 && value.length >= 10)
      readCells(draft, [
        {
          mcc: value.readUInt16BE(0),
          mnc: value.readUInt16BE(2),
          lac: value.readUInt16BE(4),
          cid: value.readUIntBE(6, 3),
          rssi: -value[9]!,
        },
      ]);
    else if (id === 0x18) draft.batteryVoltage = hundredths(u16(value, 0));
    else if (id === 0x28) draft.hdop = (u8(value, 0) ?? 0) / 10 || undefined;
    else if (id === 0x2a && value.length > 0) read(draft, 'door', (value[0]! & 15) > 0);
    else if (id === 0x2b && value.length === 1) read(draft, 'temp', value.readInt8(0));
    else if (id === 0x2e) read(draft, 'odometer_m', u32(value, 0));
    else if (id === 0x33 && value.length >= 18) readPlaceModule(draft, value);
    else if (id === 0x34 && value.length > 0) {
      const alarm = ALARMS_OF_MODULES.get(value[0]!);
      read(draft, 'event_code', value[0]!);
      if (alarm) draft.alarms = [...(draft.alarms ?? []), alarm];
    } else if (id === 0x7f && value.length >= 14) readTag(draft, value);
  });
  return true;
};

/** Epoch seconds 4, satellites 1, altitude 2, latitude 4, longitude 4, speed 1, flags 2. */
function readPlaceModule(draft: RecordDraft, value: Buffer): void {
  const seconds = value.readUInt32BE(0);
  if (seconds > 0) draft.timestamp = seconds * 1000;
  draft.sats = value[4]!;
  draft.altitudeM = value.readInt16BE(5);
  draft.speedKmh = value[15]!;
  readPlace(draft, value.readUInt32BE(7), value.readUInt32BE(11), value.readUInt16BE(16));
}

function readTag(draft: RecordDraft, value: Buffer): void {
  const sensorDeviceId = macAt(value, 0);
  draft.tagReadings = [
    ...(draft.tagReadings ?? []),
    { sensorDeviceId, type: 'battery_voltage', value: value.readUInt16BE(6) / 1000 },
    { sensorDeviceId, type: 'temp', value: value.readInt16BE(9) / 10 },
    { sensorDeviceId, type: 'humidity', value: value.readInt16BE(11) },
  ];
}

/** 8C: time 6, ignition 1, pairs `key=value` of an OBD adapter; the first two digits of a key name the measurement. */
export const read8C: Gt06Reader = (draft, { content, session }) => {
  draft.timestamp = timeAt(content, 0, session);
  readIgnition(draft, (u8(content, 6) ?? 0) > 0);
  for (const pair of content.toString('latin1', 7).split(',')) {
    const [, key, value = ''] = /^([0-9A-F]{2})[0-9A-F]*=(\w+)$/i.exec(pair) ?? [];
    const number = Number.parseInt(value, 16) / 100;
    if (key === undefined) continue;
    const measured = OBD.get(key.toUpperCase());
    if (key.toUpperCase() === '4A') read(draft, 'vin', value);
    else if (measured !== undefined) read(draft, measured, number);
  }
  return true;
};

const OBD: ReadonlyMap<string, string> = new Map([
  ['2D', 'engine_temp'],
  ['35', 'obd_speed'],
  ['36', 'rpm'],
]);

/** 9B: data of a device at the serial port, after a byte for the port. */
export const read9B: Gt06Reader = (draft, { content }) => {
  const text = content.toString('latin1', 1);
  read(draft, 'text', /^[\x20-\x7e\s]+$/.test(text) ? text.trim() : content.toString('hex', 1));
  return true;
};

/** F1: epoch seconds 4, then modules. */
export const readF1: Gt06Reader = (draft, { content }) => {
  const seconds = u32(content, 0);
  if (seconds) draft.timestamp = seconds * 1000;
  eachModule(content, 4, 1, (id, value) => {
    const byte = u8(value, 0);
    if (byte === undefined) return;
    if (id === 0x01) read(draft, 'moving', byte === 2 || byte === 4);
    else if (id === 0x02) read(draft, 'armed', byte > 0);
    else if (id === 0x04) readIgnition(draft, byte > 0);
    else if (id === 0x05) read(draft, 'ext_voltage', hundredths(u16(value, 0)));
    else if (id === 0x07) draft.isCharging = byte > 0;
    else if (id === 0x0b && value.length === 2) read(draft, 'battery_temp', value.readUInt16BE(0) / 10);
  });
  return true;
};

/** F2: epoch seconds 4, then peripherals: identifier 2, length 1 (2 for those received by radio). */
export const readF2: Gt06Reader = (draft, { content }) => {
  const seconds = u32(content, 0);
  if (seconds) draft.timestamp = seconds * 1000;
  for (let at = 4; at + 3 <= content.length; ) {
    const id = content.readUInt16BE(at);
    const isWide = id === 0x0a || content[at + 2] === 0;
    const valueAt = at + (isWide ? 4 : 3);
    const size = isWide ? u16(content, at + 2) : u8(content, at + 2);
    const value = content.subarray(valueAt, valueAt + (size ?? 0));
    if (id === 0x0a && value.length >= 10)
      draft.tagReadings = [
        ...(draft.tagReadings ?? []),
        { sensorDeviceId: macAt(value, 1), type: 'text', value: value.toString('latin1', 10) },
      ];
    at = valueAt + (size ?? content.length);
  }
  return true;
};

/** B2: time 6, signal 1, address 6, UUID 16, major 2, minor 2, voltage 2 of a beacon. */
export const readB2: Gt06Reader = (draft, { content, session }) => {
  if (content.length < 35) return false;
  draft.timestamp = timeAt(content, 0, session);
  const uuid = content.toString('hex', 13, 29).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  draft.tagReadings = [
    {
      sensorDeviceId: `${uuid}-${content.readUInt16BE(29)}-${content.readUInt16BE(31)}`,
      type: 'battery_voltage',
      value: content.readUInt16BE(33) / 100,
      rssi: content.readInt8(6),
    },
  ];
  return true;
};
