import type { AlarmWord } from '../alarm-words.ts';
import { type RecordDraft, read } from '../record/networks.ts';
import { MAC, macOf, numberOf, type QueclinkText } from './fields.ts';
import { isMovingState, readState } from './location.ts';

/** Message types that are an alarm by themselves. */
const ALARMS: ReadonlyMap<string, AlarmWord> = new Map([
  ['SOS', 'sos'],
  ['IGN', 'ignitionOn'],
  ['VGN', 'ignitionOn'],
  ['IGF', 'ignitionOff'],
  ['VGF', 'ignitionOff'],
  ['TOW', 'tow'],
  ['MPN', 'powerRestored'],
  ['EPN', 'powerRestored'],
  ['MPF', 'powerCut'],
  ['EPF', 'powerCut'],
  ['BPL', 'lowBattery'],
  ['PNA', 'powerOn'],
  ['PFA', 'powerOff'],
  ['SPD', 'overspeed'],
  ['CRA', 'crash'],
  ['JDR', 'jamming'],
  ['IDN', 'idle'],
  ['IDL', 'idle'],
  ['TEM', 'temperature'],
  ['TMP', 'temperature'],
]);

/** Decodes the event of a message type. @param before the field before the accuracy of the first location. */
export function readEvent(draft: RecordDraft, text: QueclinkText, before: number | undefined): void {
  const { word, fields, from } = text;
  const alarm = ALARMS.get(word) ?? alarmOf(text, before);
  if (alarm) draft.alarms = [alarm];
  const kind = kindOf(text, before);
  const low = kind === undefined ? undefined : kind & 15;
  switch (word) {
    case 'IGN':
    case 'VGN':
    case 'IGF':
    case 'VGF':
      read(draft, 'ignition', word.endsWith('N'));
      break;
    case 'IGL':
      if (low !== undefined) read(draft, 'ignition', low === 1);
      break;
    case 'BPL':
      draft.batteryVoltage = numberOf(fields[from]);
      break;
    case 'BTC':
    case 'STC':
      draft.isCharging = word === 'BTC';
      break;
    case 'STT':
      readState(draft, fields[from] ?? '');
      break;
    case 'NMR':
      if (low !== undefined) read(draft, 'moving', low === 1);
      break;
    case 'DIS':
      if (kind !== undefined) read(draft, `din${kind >> 4}`, low === 1);
      break;
    case 'IDA':
      read(draft, 'driver_id', fields[from + 1]);
      break;
    case 'BID':
    case 'BAA':
      readBeacon(draft, text);
      break;
    case 'INF':
      readInfo(draft, text);
      break;
    case 'VER':
      read(draft, 'firmware', fields[from + 1]);
      break;
    case 'CID':
      read(draft, 'iccid', fields[from]?.replace(/f+$/i, ''));
      break;
    case 'CSQ':
      draft.gsmSignal = numberOf(fields[from]);
      break;
    case 'CAN':
      readCan(draft, text);
      break;
    case 'DTT':
    case 'DAT':
      read(draft, 'text', textOfSerial(text));
      break;
    default:
  }
}

/** Number in the high nibble, kind in the low nibble: two hexadecimal digits before the number of locations. */
function kindOf({ fields, from }: QueclinkText, before: number | undefined): number | undefined {
  const field = before === undefined ? fields[from + 1] : fields[before - 1];
  return field !== undefined && /^[0-9A-F]{1,2}$/i.test(field) ? Number.parseInt(field, 16) : undefined;
}

function alarmOf(text: QueclinkText, before: number | undefined): AlarmWord | undefined {
  const { word, fields, from } = text;
  const kind = kindOf(text, before);
  const low = kind === undefined ? undefined : kind & 15;
  switch (word) {
    case 'GEO':
    case 'GES':
      return low === 1 ? 'geofenceEnter' : low === 0 ? 'geofenceExit' : 'geofence';
    case 'SWG':
      return fields[from] === '1' ? 'geofenceEnter' : fields[from] === '0' ? 'geofenceExit' : 'geofence';
    case 'HBM':
      return low === 0 || low === 3
        ? 'harshBraking'
        : low === 1 || low === 4
          ? 'harshAcceleration'
          : low === 2
            ? 'harshCornering'
            : 'general';
    case 'JDS':
      return fields[from] === '2' ? 'jamming' : undefined;
    case 'STT':
      return fields[from]?.toUpperCase() === '16' ? 'tow' : isMovingState(fields[from] ?? '') ? 'movement' : undefined;
    case 'ANT':
      // 0: it works.
      return fields[from] === '0' ? undefined : 'antennaCut';
    default:
      return undefined;
  }
}

/** The address of a tag, and the known fields after it. */
function readBeacon(draft: RecordDraft, { word, fields, from, to }: QueclinkText): void {
  const at = fields.findIndex((field, index) => index >= from && index < to && MAC.test(field));
  if (at < 0) return;
  const sensorDeviceId = macOf(fields[at]!);
  const millivolts = word === 'BID' ? numberOf(fields[at + 1]) : undefined;
  draft.tagReadings = [
    millivolts === undefined || millivolts < 1000
      ? { sensorDeviceId, type: 'heard', value: true }
      : { sensorDeviceId, type: 'battery_voltage', value: millivolts / 1000 },
  ];
}

/** State, SIM number, signal; then model-specific fields; voltages are found by their format. */
function readInfo(draft: RecordDraft, { fields, from, to }: QueclinkText): void {
  readState(draft, fields[from] ?? '');
  const cardAt = fields.findIndex(
    (field, index) => index >= from && /^\d{18,19}[0-9A-F]{0,2}$|^[0-9A-F]{20}$/i.test(field),
  );
  if (cardAt > 0) read(draft, 'iccid', fields[cardAt]!.replace(/f+$/i, ''));
  const signal = numberOf(fields[(cardAt > 0 ? cardAt : from + 1) + 1]);
  if (signal !== undefined && signal <= 99) draft.gsmSignal = signal;
  const reported = fields.slice(from, to);
  const volts = reported.find((field) => /^[34]\.\d{1,2}$/.test(field));
  if (volts !== undefined) draft.batteryVoltage = Number(volts);
  const millivolts = reported.find(
    (field) => /^\d{4,5}$/.test(field) && Number(field) >= 5000 && Number(field) <= 40_000,
  );
  if (millivolts !== undefined) read(draft, 'ext_voltage', Number(millivolts) / 1000);
}

/** Kind, whether it is connected, mask, then a field for each bit of the mask. */
function readCan(draft: RecordDraft, { fields, from, to }: QueclinkText): void {
  const mask = Number.parseInt(fields[from + 2] ?? '', 16);
  if (Number.isNaN(mask)) return;
  let at = from + 3;
  for (let bit = 0; bit < 9; bit += 1) {
    if (!(mask & (1 << bit))) continue;
    if (at >= to) return;
    readCanField(draft, bit, fields[at]!);
    at += 1;
  }
}

function readCanField(draft: RecordDraft, bit: number, field: string): void {
  const number = numberOf(field);
  if (bit === 0 && /^[A-Z0-9]{17}$/i.test(field)) read(draft, 'vin', field);
  else if (bit === 1 && number !== undefined) read(draft, 'ignition', number > 0);
  else if (bit === 2 && /^H\d+$/.test(field)) read(draft, 'odometer_m', Number(field.slice(1)) * 100);
  else if (bit === 4) read(draft, 'rpm', number);
  else if (bit === 5) read(draft, 'obd_speed', number);
  else if (bit === 6) read(draft, 'engine_temp', number);
  else if (bit === 8 && /^[PL]\d/.test(field))
    read(draft, field[0] === 'P' ? 'fuel_pct' : 'fuel_l', numberOf(field.slice(1)));
}

/** The longest field contains the data, as hexadecimal digits that may encode text. */
function textOfSerial({ fields, from, to }: QueclinkText): string | undefined {
  const data = fields.slice(from, to).reduce((longest, field) => (field.length > longest.length ? field : longest), '');
  if (!/^(?:[0-9A-F]{2})+$/i.test(data)) return data || undefined;
  const text = Buffer.from(data, 'hex').toString('latin1');
  return /^[\x20-\x7e\s]+$/.test(text) ? text.trim() : data;
}
