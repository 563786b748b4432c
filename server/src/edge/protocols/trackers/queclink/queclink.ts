import { newDraft, type RecordDraft, read, readCells, readWifi, saysSomething } from '../record/networks.ts';
import type {
  BeaconReading,
  CommandName,
  CommandReply,
  DecodedFrame,
  EncodedCommand,
  ReplyPlan,
  TrackerCommand,
  TrackerMemory,
  TrackerProtocol,
  TrackerSession,
} from '../tracker.ts';
import { decodeBinary } from './binary.ts';
import { readEvent } from './events.ts';
import { epochOf, groupsOf, isPercent, MAC, macOf, numberOf, type QueclinkText, textOf } from './fields.ts';
import { isBinary, MAX_FRAME_BYTES, recognise, split, splitDatagram } from './frame.ts';
import { cellOf, locationAt, readLoneCell, readTail, wifiOf } from './location.ts';

const COMMANDS: readonly CommandName[] = ['position', 'reboot', 'engineStop', 'engineResume', 'output'];

const MODEL = 'model';

/** The password of a device is its model, unless its owner changed it. */
function rememberModel({ version }: QueclinkText, memory: TrackerMemory): TrackerMemory | undefined {
  const model = modelOf(version);
  return model === undefined || memory[MODEL] === model ? undefined : { [MODEL]: model };
}

/** `AT+GTRTO=<password>,<what>,…,<serial>$`. The reply repeats the command word and the serial. */
function encode(command: TrackerCommand, session: TrackerSession): EncodedCommand | undefined {
  const text = 'text' in command ? command.text.trim() : wordsOf(command, session);
  if (text === undefined || !/^AT\+GT[A-Z]{3}=[\x20-\x7e]*\$$/.test(text)) return undefined;
  const [, word, serial] = /^AT\+GT([A-Z]{3})=.*?,?([0-9A-F]{4})?\$$/i.exec(text)!;
  return {
    bytes: Buffer.from(text, 'latin1'),
    ...(serial === undefined ? {} : { correlation: correlationOf(word!, serial) }),
  };
}

const correlationOf = (word: string, serial: string) => `${word}:${serial.toUpperCase()}`;

function wordsOf(
  { name, parameters, number }: Extract<TrackerCommand, { name: CommandName }>,
  { model, memory }: TrackerSession,
): string | undefined {
  const password = parameters.password ?? model ?? memory[MODEL];
  if (password === undefined || !/^[\w-]{1,20}$/.test(String(password))) return undefined;
  const secret = parameters.password === undefined ? String(password).toLowerCase() : String(password);
  const serial = (number & 0xffff).toString(16).toUpperCase().padStart(4, '0');
  const output = (isOn: boolean) => `AT+GTOUT=${secret},${isOn ? 1 : 0},,,0,0,0,0,0,0,0,,,,,,,${serial}$`;
  switch (name) {
    case 'position':
      return `AT+GTRTO=${secret},1,,,,,,${serial}$`;
    case 'reboot':
      return `AT+GTRTO=${secret},3,,,,,,${serial}$`;
    case 'engineStop':
      return output(true);
    case 'engineResume':
      return output(false);
    case 'output':
      // The fields of further outputs differ by model.
      return (parameters.output ?? 1) === 1 && typeof parameters.on === 'boolean' ? output(parameters.on) : undefined;
    default:
      return undefined;
  }
}

/** `+ACK:GTRTO,version,imei,name,[what,]<serial>,time,count$` */
function commandReplyOf({ word, fields, from, to }: QueclinkText): CommandReply {
  const serial = fields[to - 1] ?? '';
  const isSerial = to > from && /^[0-9A-F]{4}$/i.test(serial);
  const reported = fields.slice(from, isSerial ? to - 1 : to).filter((field) => field !== '');
  return {
    text: [`GT${word}`, ...reported].join(' '),
    ...(isSerial ? { correlation: correlationOf(word, serial) } : {}),
  };
}

/** Models by the first digits of the version. */
const BY_TWO: ReadonlyMap<string, string> = new Map([
  ['02', 'GL200'],
  ['04', 'GV200'],
  ['06', 'GV300'],
  ['0F', 'GV55'],
  ['1A', 'GL300'],
  ['1F', 'GV500'],
  ['25', 'GV300'],
  ['27', 'GV300W'],
  ['2F', 'GV55'],
  ['30', 'GL300'],
  ['31', 'GV65'],
  ['35', 'GV200'],
  ['36', 'GV500'],
  ['41', 'GV75W'],
  ['50', 'GV55W'],
  ['5E', 'GV500MAP'],
  ['6E', 'GV310LAU'],
  ['C2', 'GV600M'],
  ['F1', 'GV350M'],
  ['F8', 'GV800W'],
  ['FC', 'GV600W'],
]);
const BY_SIX: ReadonlyMap<string, string> = new Map([['802004', 'GV58LAU']]);

function modelOf(version: string | undefined): string | undefined {
  if (version === undefined) return undefined;
  const digits = version.toUpperCase();
  return digits.length === 10 ? BY_SIX.get(digits.slice(0, 6)) : BY_TWO.get(digits.slice(0, 2));
}

/**
 * ERI: after status and kind of the serial port, the fields of its mask: bit 0 a fuel sensor, 1 thermometers, 3 and 4
 * fuel levels, 8 Bluetooth sensors. Fields after an unknown one cannot be located, so decoding ends there.
 */
function readExpansion(draft: RecordDraft, text: QueclinkText, statusAt: number | undefined): void {
  const { fields, from, to, version = '' } = text;
  const mask = Number.parseInt(fields[from] ?? '', 16);
  if (statusAt === undefined || Number.isNaN(mask) || /^F1/i.test(version)) return;
  let at = statusAt + 2;
  if (mask & 1) at += 1;
  if (mask & 2) at = readThermometers(draft, fields, at, to);
  if (mask & 4) return;
  if (mask & 0x18) at = readFuel(draft, fields, at, to, mask);
  if (mask & 0x80) return;
  if (mask & 0x100) readSensors(draft, text, at);
}

/** Count, then (identifier, kind, sixteenths of a degree in hexadecimal digits). */
function readThermometers(draft: RecordDraft, fields: readonly string[], at: number, to: number): number {
  const count = numberOf(fields[at]) ?? 0;
  for (let index = 0; index < count && at + 3 + index * 3 < to; index += 1) {
    const value = Number.parseInt(fields[at + 3 + index * 3]!, 16);
    const signed = value & 0x8000 ? value - 0x10000 : value;
    read(draft, index === 0 ? 'temp' : `temp${index + 1}`, signed * 0.0625);
  }
  return at + 1 + count * 3;
}

/** Count, then (kind, percent if bit 3, litres if bit 4). */
function readFuel(draft: RecordDraft, fields: readonly string[], at: number, to: number, mask: number): number {
  const count = numberOf(fields[at]) ?? 0;
  let next = at + 1;
  for (let index = 0; index < count && next < to; index += 1) {
    next += 1;
    if (mask & 8) {
      read(draft, 'fuel_pct', numberOf(fields[next]));
      next += 1;
    }
    if (mask & 0x10) {
      read(draft, 'fuel_l', numberOf(fields[next]));
      next += 1;
    }
  }
  return next;
}

const TEMPERATURE = 4;
const HUMIDITY = 5;
const FINE_TEMPERATURE = 11;
const BATTERY_PCT = 13;

/** Count, then (number, kind, model, raw data, mask, and a field for each bit of the mask). */
function readSensors(draft: RecordDraft, { fields, to, version = '' }: QueclinkText, at: number): void {
  const count = numberOf(fields[at]) ?? 0;
  const tagReadings: BeaconReading[] = [];
  let next = at + 1;
  for (let index = 0; index < count && next < to; index += 1) {
    next += /^C2/i.test(version) ? 5 : 4;
    const mask = Number.parseInt(fields[next] ?? '', 16);
    if (Number.isNaN(mask)) break;
    const reported = new Map<number, string>();
    for (let bit = 0; bit < 15; bit += 1)
      if (mask & (1 << bit) && bit !== 6) {
        next += 1;
        reported.set(bit, fields[next] ?? '');
      }
    next += 1;
    const address = reported.get(1) ?? '';
    if (!MAC.test(address)) continue;
    const sensorDeviceId = macOf(address);
    const add = (type: string, value: number | undefined) =>
      value !== undefined && tagReadings.push({ sensorDeviceId, type, value });
    add('temp', numberOf(reported.get(FINE_TEMPERATURE)) ?? numberOf(reported.get(TEMPERATURE)));
    add('humidity', numberOf(reported.get(HUMIDITY)));
    add('battery_pct', numberOf(reported.get(BATTERY_PCT)));
  }
  if (tagReadings.length > 0) draft.tagReadings = [...(draft.tagReadings ?? []), ...tagReadings];
}

/** Queclink's @Track: text, and its binary mode for vehicles. */
export const queclink: TrackerProtocol = {
  name: 'queclink',
  wellKnownPort: 5004,
  maxFrameBytes: MAX_FRAME_BYTES,
  recognise,
  split,
  splitDatagram,
  decode,
  encode,
  commands: COMMANDS,
  repliesNameCommand: true,
};

/** An older fix without satellites is the last known position, not the current one. */
const STALE_MS = 120_000;
/** A clock that is ahead by more than this is not in UTC. */
const AHEAD_MS = 300_000;

function decode(frame: Buffer, session: TrackerSession): DecodedFrame {
  if (isBinary(frame)) return decodeBinary(frame);
  const text = textOf(frame);
  if (text === undefined) return { records: [], problem: 'Not a Queclink text.' };
  const remember = rememberModel(text, session.memory);
  return {
    identities: [text.identity],
    ...(remember ? { remember } : {}),
    ...replyTo(text, session),
    ...(text.kind === 'ACK' ? acknowledged(text) : { records: recordsOf(text, session) }),
  };
}

const HEARTBEAT = 'HBD';

/** A device that requests no response ignores one. */
function replyTo(
  { kind, word, version = '', count }: QueclinkText,
  { transport }: TrackerSession,
): { reply?: ReplyPlan } {
  if (count === undefined) return {};
  if (kind === 'ACK' && word === HEARTBEAT)
    return { reply: { when: 'now', bytes: Buffer.from(`+SACK:GTHBD,${version},${count}$`, 'latin1') } };
  if (transport !== 'tcp') return {};
  return { reply: { when: 'afterDurable', bytes: Buffer.from(`+SACK:${count}$`, 'latin1') } };
}

const acknowledged = (text: QueclinkText): Pick<DecodedFrame, 'records' | 'commandReply'> =>
  text.word === HEARTBEAT ? { records: [] } : { records: [], commandReply: commandReplyOf(text) };

function recordsOf(text: QueclinkText, session: TrackerSession): readonly RecordDraft[] {
  const groups = groupsOf(text);
  if (groups.length === 0) return recordsWithoutFix(text, session);
  const places = groups.map((at) => locationAt(text, at, session));
  const { draft, tailAt } = places.at(-1)!;
  const first = groups[0]!;
  const status = isStale(text, draft, groups.at(-1)!, session) ? newDraft() : draft;
  const statusAt = readTail(status, text, tailAt);
  readEvent(status, text, first - 5);
  if (text.word === 'FRI' || text.word === 'ERI') readVoltage(status, text, first - 7);
  if (text.word === 'ERI') readExpansion(status, text, statusAt);
  if (text.kind === 'BUFF') for (const place of places) read(place.draft, 'buffered', true);
  const records = places.map((place) => place.draft);
  return status === draft || !saysSomething(status) ? records : [...records, status];
}

/** A current event did not happen at the place and time of an old fix. */
function isStale(text: QueclinkText, draft: RecordDraft, at: number, { now }: TrackerSession): boolean {
  const hasNoFix = numberOf(text.fields[at - 4]) === 0;
  return hasNoFix && text.kind === 'RESP' && now - (draft.timestamp ?? now) > STALE_MS;
}

/** Millivolts of the vehicle precede kind and number of the locations. */
function readVoltage(draft: RecordDraft, { fields, from }: QueclinkText, at: number): void {
  const field = fields[at] ?? '';
  if (at >= from && /^\d{4,5}$/.test(field)) read(draft, 'ext_voltage', Number(field) / 1000);
}

function recordsWithoutFix(text: QueclinkText, session: TrackerSession): readonly RecordDraft[] {
  const draft = newDraft();
  readEvent(draft, text, undefined);
  if (text.word === 'GSM') readCellList(draft, text);
  else if (text.word === 'WIF') readWifiList(draft, text);
  else if (text.word !== 'INF') readLoneCell(draft, text);
  const battery = text.fields[text.to - 1];
  if (WITH_BATTERY.has(text.word) && text.to - 1 > text.from + 3 && isPercent(battery))
    draft.batteryPct = Number(battery);
  if (!saysSomething(draft)) return [];
  const sent = epochOf(text.sent, session.timeZone);
  // Buffered messages get the time of their creation, if the clock is plausible.
  if (text.kind === 'BUFF' && sent !== undefined && sent <= session.now + AHEAD_MS) draft.timestamp = sent;
  if (text.kind === 'BUFF') read(draft, 'buffered', true);
  return [draft];
}

/** Personal trackers end these with their battery percentage. */
const WITH_BATTERY = new Set(['FRI', 'RTL', 'NMR', 'WIF', 'LBC', 'SOS', 'GEO', 'SPD', 'TEM']);

/** (country, network, area, cell, signal, empty) */
function readCellList(draft: RecordDraft, { fields, from, to }: QueclinkText): void {
  const cells = [];
  for (let at = from; at + 5 <= to; at += 6) {
    const cell = cellOf(fields, at);
    if (cell) cells.push(cell);
  }
  readCells(draft, cells);
}

function readWifiList(draft: RecordDraft, { fields, from }: QueclinkText): void {
  readWifi(draft, wifiOf(fields, from + 1, numberOf(fields[from]) ?? 0));
}
