import { decodeAlternative, decodeReport, decodeVehicle } from './gps103/report.ts';
import { cut, isOn, safeText, secondsOf } from './text/cut.ts';
import type { DecodedFrame, EncodedCommand, TrackerCommand, TrackerProtocol, TrackerSession } from './tracker.ts';

/** Coban TK103A, TK103B, TK303, TK306: text that ends with `;`, a line break or `*`. */
export const gps103: TrackerProtocol = {
  name: 'gps103',
  wellKnownPort: 5001,
  maxFrameBytes: 4096,
  // Other protocols also start with a bare number on a line.
  recognise: (start) => {
    const text = start.toString('latin1', 0, HEAD_BYTES);
    return /^\d{15}[\r\n]/.test(text) ? 'no' : headOf(text);
  },
  split: (stream) => cut(stream, gps103.maxFrameBytes, lengthAt),
  splitDatagram(datagram) {
    const { frames, remaining, skipped } = gps103.split(datagram);
    return gps103.recognise(remaining) === 'yes'
      ? { frames: [...frames, remaining], remaining: Buffer.alloc(0), skipped }
      : { frames, remaining, skipped };
  },
  decode,
  encode,
  commands: ['position', 'interval', 'engineStop', 'engineResume', 'alarmArm'],
  repliesNameCommand: true,
};

const HEAD_BYTES = 24;
const HEAD = /^(?:##,imei:|imei:\d|\d{15}(?:[;\r\n]|imei:))/;
/** A report that contains the start of another was truncated. */
const END = /[;\r\n*]|imei:/;
const FIRST_BYTES = [...Buffer.from('#i0123456789')];

/** Whether a text starts like a frame. */
function headOf(text: string): 'yes' | 'no' | 'more' {
  if (HEAD.test(text)) return 'yes';
  const isBeginning =
    '##,imei:'.startsWith(text) || 'imei:'.startsWith(text) || /^\d{0,15}$/.test(text) || isBeforeReport(text);
  return isBeginning ? 'more' : 'no';
}

const isBeforeReport = (text: string) => /^\d{15}/.test(text) && 'imei:'.startsWith(text.slice(15));

function lengthAt(stream: Buffer, at: number): number | undefined {
  if (!FIRST_BYTES.includes(stream[at]!)) return 0;
  const start = stream.toString('latin1', at, at + HEAD_BYTES);
  const head = headOf(start);
  if (head !== 'yes') return head === 'no' ? 0 : undefined;
  const before = HEAD.exec(start)![0];
  if (/[;\r\n]$/.test(before)) return before.length;
  const found = END.exec(stream.toString('latin1', at + before.length, at + gps103.maxFrameBytes));
  if (!found) return undefined;
  return found[0] === 'imei:' ? 0 : before.length + found.index + 1;
}

/** A login contains only the number. */
const MOST_LOGIN_CHARACTERS = 30;

function decode(frame: Buffer, session: TrackerSession): DecodedFrame {
  const text = frame.toString('latin1').replace(/[\s;*]+$/, '');
  const [, heartbeat] = /^\s*(\d{10,17})(?:$|[,;]|imei:)/.exec(text) ?? [];
  const at = text.indexOf('imei:');
  const [, id] = /^imei:(\d{8,20})(?![^,\s])/.exec(at < 0 ? '' : text.slice(at, at + HEAD_BYTES + 1)) ?? [];
  if (heartbeat !== undefined) {
    const reply = { when: 'now' as const, bytes: Buffer.from('ON') };
    return id === undefined
      ? { identities: [heartbeat], records: [], reply }
      : { reply, ...decodeFields(text.slice(at), session) };
  }
  if (id === undefined) return { records: [], problem: 'not a report' };
  if (text.length <= MOST_LOGIN_CHARACTERS)
    return { identities: [id], records: [], reply: { when: 'now', bytes: Buffer.from('LOAD') } };
  return decodeFields(text.slice(at), session);
}

function decodeFields(text: string, session: TrackerSession): DecodedFrame {
  const fields = text.split(',').slice(0, 100);
  const [head = '', keyword = ''] = fields;
  if (/^vr/.test(keyword)) return { identities: [head.slice(5)], records: [], problem: 'pictures are not kept' };
  if (keyword === 'OBD') return decodeVehicle(fields, session);
  if (fields[4] === 'F' || fields[4] === 'L') return decodeReport(fields, session);
  return decodeAlternative(fields) ?? { identities: [head.slice(5)], records: [], problem: 'unknown report' };
}

/**
 * Devices answer a command letter with a report whose keyword starts with it, except B and C, which are answered by
 * positions only.
 */
function encode(command: TrackerCommand, { identity }: TrackerSession): EncodedCommand | undefined {
  const said = wordsOf(command);
  if (said === undefined || identity === undefined) return undefined;
  const bytes = Buffer.from(`**,imei:${identity},${said}`, 'latin1');
  const letter = said.split(',')[0]!;
  return /^[BC]$/.test(letter) ? { bytes, isSilent: true } : { bytes, correlation: letter };
}

function wordsOf(command: TrackerCommand): string | undefined {
  if ('text' in command) return safeText(command.text, /[;*]/);
  switch (command.name) {
    case 'position':
      return 'B';
    case 'interval':
      return intervalOf(secondsOf(command.parameters, 1, 99 * 3600));
    case 'engineStop':
      return 'J';
    case 'engineResume':
      return 'K';
    case 'alarmArm':
      return isOn(command.parameters) ? 'L' : 'M';
    default:
      return undefined;
  }
}

/** Two digits and a unit: intervals over 99 seconds must be whole minutes or whole hours. */
function intervalOf(seconds: number | undefined): string | undefined {
  if (seconds === undefined) return undefined;
  const said = [
    [seconds, 's'],
    [seconds / 60, 'm'],
    [seconds / 3600, 'h'],
  ] as const;
  const [count, unit] = said.find(([count]) => Number.isInteger(count) && count <= 99) ?? [];
  return count === undefined ? undefined : `C,${`${count}`.padStart(2, '0')}${unit}`;
}
