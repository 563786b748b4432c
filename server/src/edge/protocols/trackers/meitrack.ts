import { isAscii, textOrHex } from './frame/cursor.ts';
import { beginsAs, type Cut, cutFrames, digitByte, exactly } from './frame/cut.ts';
import { cccRecords, type StoredRecords } from './meitrack/ccc.ts';
import { cceRecords } from './meitrack/cce.ts';
import { envelopeOf, envelopeTo, type MeitrackEnvelope } from './meitrack/envelope.ts';
import { EVENT, textReport } from './meitrack/report.ts';
import { isOn, outputOf, secondsOf } from './text/cut.ts';
import type {
  CommandName,
  DecodedFrame,
  EncodedCommand,
  TrackerCommand,
  TrackerProtocol,
  TrackerSession,
} from './tracker.ts';

/** MVT, T1, T3, T333, T366, T622, TC68, P99, MT90. */

const MAX_FRAME = 10_240;
const FIRST_FLAG = 0x41;
const FLAGS = 58;
const OUTPUTS = 5;
/** Intervals are sent in tens of seconds. */
const MAX_INTERVAL_S = 655_350;
const isFlag = (byte: number) => byte >= 0x21 && byte <= 0x7e;
/** Photographs are sent in parts, which are not assembled. */
const PHOTO = new Set(['D00', 'D01', 'D02', 'D03']);

export const meitrack: TrackerProtocol = {
  name: 'meitrack',
  wellKnownPort: 5020,
  maxFrameBytes: MAX_FRAME,
  recognise: (start) => beginsAs(start, [...exactly('$$'), isFlag, digitByte]),
  split: (stream) => cutFrames(stream, cutAt),
  decode,
  encode,
  commands: ['position', 'reboot', 'interval', 'engineStop', 'engineResume', 'output'],
  repliesNameCommand: true,
};

function cutAt(stream: Buffer, at: number): Cut {
  const head = stream.toString('latin1', at, at + 9);
  const length = /^\$\$[\x21-\x7e](\d{1,5}),/.exec(head);
  if (!length) return /^\$(\$([\x21-\x7e]\d{0,5})?)?$/.test(head) ? 'more' : 'skip';
  const size = length[0].length - 1 + Number(length[1]);
  if (size > MAX_FRAME) return 'skip';
  const line = stream.subarray(at, at + MAX_FRAME);
  const end = endOfLine(line, size);
  if (end !== undefined) return end;
  if (line.length < size) return 'more';
  if (line.toString('latin1', size - 2, size) === '\r\n') return size;
  // The length is wrong: the line ends after something like a checksum, unless the next frame starts before.
  const next = line.indexOf('$$', 2);
  const mark = END.exec(line.toString('latin1', 0, next < 0 ? line.length : next));
  if (mark) return mark.index + mark[0].length;
  return next < 0 && line.length < MAX_FRAME ? 'more' : 'skip';
}

const END = /\*[0-9A-Fa-f]{2}\r\n/;
/** The length of some firmware is a few bytes too large. */
const MAX_TOO_MANY = 4;

/** The end of the line by its checksum, slightly before the announced length. */
function endOfLine(line: Buffer, size: number): number | undefined {
  for (let end = size - MAX_TOO_MANY; end <= size && end <= line.length; end += 1)
    if (END.test(line.toString('latin1', end - 5, end)) && envelopeOf(line.subarray(0, end))?.isSumRight) return end;
  return undefined;
}

function decode(frame: Buffer, session: TrackerSession): DecodedFrame {
  const envelope = envelopeOf(frame);
  if (!envelope) return { records: [], problem: 'The header of the frame is not valid.' };
  if (!envelope.isSumRight && !session.acceptsWrongChecksum)
    return { records: [], isDamaged: true, problem: 'The checksum is wrong.' };
  const identity = envelope.imei === '' ? {} : { identities: [envelope.imei] };
  return { ...identity, ...contentOf(envelope, session) };
}

function contentOf(envelope: MeitrackEnvelope, session: TrackerSession): DecodedFrame {
  const { flag, imei, command, data } = envelope;
  switch (command) {
    case 'CCC':
      return stored(envelope, cccRecords(data, session.model));
    case 'CCE':
      return stored(envelope, cceRecords(data));
    case 'AAC':
      return { records: [], reply: { when: 'now', bytes: envelopeTo(imei, 'z', 'AAC,1') } };
    default:
      break;
  }
  if (PHOTO.has(command)) return { records: [], problem: 'Photographs are not supported.' };
  const text = textOrHex(data);
  const report = textReport(data.toString('latin1'), session.model);
  if (!report)
    return {
      records: [],
      commandReply: {
        text: text === '' ? command : `${command},${text}`,
        correlation: flag,
        ...(/^(err|fail)/i.test(text) ? { isFailure: true } : {}),
      },
    };
  const answer = { text: `${command},${report.event}`, correlation: flag };
  return { records: [report.record], ...(report.event === EVENT.answersPosition ? { commandReply: answer } : {}) };
}

/** The device deletes as many stored records as are confirmed; undecodable records are kept here. */
function stored({ flag, imei, command }: MeitrackEnvelope, { records, count }: StoredRecords): DecodedFrame {
  const problem = 'The lengths of the records are inconsistent.';
  if (count === 0) return { records: [], problem };
  const bytes = envelopeTo(imei, flag, `${command},${count}`);
  return { records, reply: { when: 'afterDurable', bytes }, ...(records.length < count ? { problem } : {}) };
}

function encode(command: TrackerCommand, { identity }: TrackerSession): EncodedCommand | undefined {
  const content = 'text' in command ? command.text : contentFor(command.name, command.parameters);
  if (!content || identity === undefined || !isAscii(content) || content.includes('*')) return undefined;
  const flag = String.fromCharCode(FIRST_FLAG + (Math.abs(command.number) % FLAGS));
  return { bytes: envelopeTo(identity, flag, content), correlation: flag };
}

function contentFor(
  name: CommandName,
  parameters: Readonly<Record<string, string | number | boolean>>,
): string | undefined {
  switch (name) {
    case 'position':
      return 'A10';
    case 'reboot':
      return 'F01';
    case 'interval': {
      const seconds = secondsOf(parameters, 1, MAX_INTERVAL_S);
      return seconds === undefined ? undefined : `A12,${Math.max(1, Math.round(seconds / 10))}`;
    }
    case 'engineStop':
      return outputs(1, true);
    case 'engineResume':
      return outputs(1, false);
    case 'output':
      return outputs(outputOf(parameters, OUTPUTS), isOn(parameters));
    default:
      return undefined;
  }
}

/** Five outputs; 2 leaves an output unchanged. */
function outputs(output: number | undefined, isSet: boolean): string | undefined {
  if (output === undefined) return undefined;
  const states = Array.from({ length: OUTPUTS }, (_, index) => (index === output - 1 ? (isSet ? '1' : '0') : '2'));
  return `C01,0,${states.join('')}`;
}
