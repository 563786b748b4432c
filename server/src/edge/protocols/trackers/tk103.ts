import { cut, safeText, secondsOf, startsLike } from './text/cut.ts';
import { readingsOf, textOf } from './text/numbers.ts';
import { alarmsOf, ignitionOf } from './tk103/alarms.ts';
import { positionIn } from './tk103/position.ts';
import { batteryOf, batteryPackOf, cellsIn, radioOf } from './tk103/status.ts';
import type {
  DecodedFrame,
  EncodedCommand,
  ReplyPlan,
  TrackerCommand,
  TrackerProtocol,
  TrackerRecord,
  TrackerSession,
} from './tracker.ts';

/**
 * TK103 and Mictrack: text in parentheses. An id of 12 characters, a type of 4 and the data follow each other without
 * separators, or are separated by commas.
 */
export const tk103: TrackerProtocol = {
  name: 'tk103',
  wellKnownPort: 5002,
  maxFrameBytes: 4096,
  recognise: (start) => headAt(start, 0),
  split: (stream) => cut(stream, tk103.maxFrameBytes, lengthAt),
  decode,
  encode,
  commands: ['position', 'reboot', 'interval', 'engineStop', 'engineResume'],
  repliesNameCommand: true,
};

const HEAD_BYTES = 9;
const headAt = (stream: Buffer, at: number) =>
  startsLike(stream.subarray(at, at + HEAD_BYTES), /^\(\w{8}/, /^\(\w{0,7}$/);

const OPEN = 0x28;
const CLOSE = 0x29;
const QUOTE = 0x24;

/** A text between dollar signs may contain parentheses. A frame that contains the start of another was truncated. */
function lengthAt(stream: Buffer, at: number): number | undefined {
  if (stream[at] !== OPEN) return 0;
  const head = headAt(stream, at);
  if (head !== 'yes') return head === 'no' ? 0 : undefined;
  let isQuoted = false;
  const end = Math.min(stream.length, at + tk103.maxFrameBytes);
  for (let index = at + 1; index < end; index += 1) {
    if (stream[index] === QUOTE) isQuoted = !isQuoted;
    else if (stream[index] === CLOSE && !isQuoted) return index + 1 - at;
    else if (stream[index] === OPEN && !isQuoted) {
      const next = headAt(stream, index);
      if (next !== 'no') return next === 'yes' ? 0 : undefined;
    }
  }
  return undefined;
}

const COMMAS = /^\(?(\w{1,20}),([A-Z]{2}[0-9A-F]{2})(?:,|\)?$)/;
const GLUED = /^\(?([!-'*+\--~]{12})([A-Z]{2}[0-9A-F]{2})/;
const ODD = /^\(?(\w{8,20}?)([A-Z]{2}\d\d)/;

function decode(frame: Buffer, _session: TrackerSession): DecodedFrame {
  const text = frame.toString('latin1').trim();
  const commas = COMMAS.exec(text);
  if (commas) return withCommas(commas[1]!, commas[2]!, unclosed(text.slice(commas[0].length)));
  const glued = GLUED.exec(text) ?? ODD.exec(text);
  if (!glued) return { records: [], problem: 'not a message' };
  return withoutMarks(glued[1]!, glued[2]!, unclosed(text.slice(glued[0].length)));
}

const unclosed = (data: string) => data.replace(/\)$/, '');

function withCommas(id: string, type: string, data: string): DecodedFrame {
  const head = { identities: [id], remember: { hasCommas: true } };
  const fields = data.split(',').slice(0, 200);
  const [, reply] = /^\d{6},\d{6},\$([^$]*)/.exec(data) ?? [];
  if (reply !== undefined) return { ...head, records: [], commandReply: { text: textOf(reply) } };
  const record = type === 'ZC20' ? batteryOf(fields) : /^DW[56]/.test(type) ? radioOf(fields) : positionIn(data, 'dmy');
  return record
    ? { ...head, records: [withAlarms(record, type, data)] }
    : { ...head, records: [], problem: `unknown type ${type}` };
}

function withoutMarks(id: string, type: string, data: string): DecodedFrame {
  const [, imei] = type === 'BP05' ? (/^([1-9]\d{14})/.exec(data) ?? []) : [];
  const record = recordIn(type, data);
  const answered = COMMAND_OF[type];
  return {
    identities: imei === undefined ? [id] : [id, imei],
    records: record ? [withAlarms(record, type, data)] : [],
    reply: replyTo(id, type, data, record !== undefined),
    ...(answered === undefined ? {} : { commandReply: { text: textOf(`${type}${data}`), correlation: answered } }),
    ...(record || answered !== undefined || isLogin(type) ? {} : { problem: `unknown type ${type}` }),
  };
}

function recordIn(type: string, data: string): TrackerRecord | undefined {
  if (type === 'BV00') return { isValid: false, readings: readingsOf({ vin: /^[A-Z0-9]{17}$/i.exec(data)?.[0] }) };
  if (type === 'BS50') return batteryPackOf(data);
  if (type === 'BZ00' || (data.includes('{') && data.includes('}'))) return cellsIn(data);
  return positionIn(data, 'ymd');
}

function withAlarms(record: TrackerRecord, type: string, data: string): TrackerRecord {
  const alarms = alarmsOf(type, data);
  const readings = readingsOf({ ignition: ignitionOf(alarms) });
  return { ...record, alarms, readings: [...(record.readings ?? []), ...readings] };
}

const isLogin = (type: string) => type === 'BP00' || type === 'BP05';

function replyTo(id: string, type: string, data: string, hasRecord: boolean): ReplyPlan | undefined {
  const said =
    type === 'BP00'
      ? 'AP01HSO'
      : type === 'BP05'
        ? 'AP05'
        : type === 'BO01'
          ? `AS01${/^\d/.exec(data)?.[0] ?? ''}`
          : '';
  if (said === '') return undefined;
  return { when: hasRecord ? 'afterDurable' : 'now', bytes: Buffer.from(`(${id}${said})`, 'latin1') };
}

/** The command that a type answers. */
const COMMAND_OF: Readonly<Record<string, string>> = {
  BP04: 'AP00',
  BP07: 'AP07',
  BS08: 'AR00',
  BT00: 'AT00',
  BV01: 'AV01',
};

function encode(command: TrackerCommand, { identity, memory }: TrackerSession): EncodedCommand | undefined {
  const said = wordsOf(command);
  // The variant with commas has other keywords.
  if (said === undefined || identity === undefined || memory.hasCommas) return undefined;
  const type = said.slice(0, 4);
  return {
    bytes: Buffer.from(`(${identity}${said})`, 'latin1'),
    ...(Object.values(COMMAND_OF).includes(type) ? { correlation: type } : {}),
  };
}

function wordsOf(command: TrackerCommand): string | undefined {
  if ('text' in command) return safeText(command.text, /[()]/);
  switch (command.name) {
    case 'position':
      return 'AP00';
    case 'reboot':
      return 'AT00';
    case 'engineStop':
      return 'AV010';
    case 'engineResume':
      return 'AV011';
    case 'interval': {
      const seconds = secondsOf(command.parameters, 1, 0xffff);
      return seconds === undefined ? undefined : `AR00${seconds.toString(16).toUpperCase().padStart(4, '0')}0000`;
    }
    default:
      return undefined;
  }
}
