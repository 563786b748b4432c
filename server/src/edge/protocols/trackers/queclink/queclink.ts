import { newDraft, type RecordDraft, read, saysSomething } from '../record/draft.ts';
import { readCells, readWifi } from '../record/networks.ts';
import type { DecodedFrame, ReplyPlan, TrackerProtocol, TrackerSession } from '../tracker.ts';
import { COMMANDS, commandReplyOf, encode, rememberModel } from './commands.ts';
import { readEvent } from './events.ts';
import { readExpansion } from './expansion.ts';
import { epochOf, groupsOf, isPercent, numberOf, type QueclinkText, textOf } from './fields.ts';
import { isBinary, MAX_FRAME_BYTES, recognise, split, splitDatagram } from './frame.ts';
import { cellOf, locationAt, readLoneCell, readTail, wifiOf } from './location.ts';

/** Queclink's @Track, in its text form. */
export const queclink: TrackerProtocol = {
  name: 'queclink',
  maxFrameBytes: MAX_FRAME_BYTES,
  recognise,
  split,
  splitDatagram,
  decode,
  encode,
  commands: COMMANDS,
  repliesNameCommand: true,
};

/** An older fix without satellites is where the device was last, not where it is. */
const STALE_MS = 120_000;
/** A clock ahead by more than this is not in UTC. */
const AHEAD_MS = 300_000;

function decode(frame: Buffer, session: TrackerSession): DecodedFrame {
  if (isBinary(frame)) return { records: [], problem: 'The binary mode is not read.' };
  const text = textOf(frame);
  if (text === undefined) return { records: [], problem: 'No text of Queclink.' };
  const remember = rememberModel(text, session.memory);
  return {
    identities: [text.identity],
    ...(remember ? { remember } : {}),
    ...replyTo(text, session),
    ...(text.kind === 'ACK' ? acknowledged(text) : { records: recordsOf(text, session) }),
  };
}

const HEARTBEAT = 'HBD';

/** A device that wants no answer takes no notice of one. */
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
  const { draft, slot } = places.at(-1)!;
  const first = groups[0]!;
  const status = isStale(text, draft, groups.at(-1)!, session) ? newDraft() : draft;
  const statusAt = readTail(status, text, slot);
  readEvent(status, text, first - 5);
  if (text.word === 'FRI' || text.word === 'ERI') readVoltage(status, text, first - 7);
  if (text.word === 'ERI') readExpansion(status, text, statusAt);
  if (text.kind === 'BUFF') for (const place of places) read(place.draft, 'buffered', true);
  const records = places.map((place) => place.draft);
  return status === draft || !saysSomething(status) ? records : [...records, status];
}

/** What happens now did not happen where and when the last fix was. */
function isStale(text: QueclinkText, draft: RecordDraft, at: number, { now }: TrackerSession): boolean {
  const hasNoFix = numberOf(text.fields[at - 4]) === 0;
  return hasNoFix && text.kind === 'RESP' && now - (draft.timestamp ?? now) > STALE_MS;
}

/** Millivolts of the vehicle stand before kind and number of the locations. */
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
  // What was kept for a while is dated by when it was made, if the clock is not wrong.
  if (text.kind === 'BUFF' && sent !== undefined && sent <= session.now + AHEAD_MS) draft.timestamp = sent;
  if (text.kind === 'BUFF') read(draft, 'buffered', true);
  return [draft];
}

/** Personal trackers end these with the percentage of their battery. */
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
