import { safeText, secondsOf } from './text/cut.ts';
import { countOf, percentOf, readable, readingsOf, textOf } from './text/numbers.ts';
import type {
  DecodedFrame,
  EncodedCommand,
  ReplyPlan,
  TrackerCommand,
  TrackerProtocol,
  TrackerSession,
} from './tracker.ts';
import {
  closeEnvelope,
  MAX_FRAME_BYTES,
  openEnvelope,
  recognise,
  split,
  type WatchEnvelope,
} from './watch/envelope.ts';
import { healthOf } from './watch/health.ts';
import { positionOf } from './watch/position.ts';

/** SeTracker, Beesure, Wonlex, Q50, A16 and many other watches: text in brackets. */
export const watch: TrackerProtocol = {
  name: 'watch',
  wellKnownPort: 5093,
  maxFrameBytes: MAX_FRAME_BYTES,
  recognise,
  split,
  decode,
  encode,
  commands: ['position', 'reboot', 'interval'],
  repliesNameCommand: true,
};

function decode(frame: Buffer, session: TrackerSession): DecodedFrame {
  const envelope = openEnvelope(frame);
  if (!envelope) return { records: [], problem: 'not a message' };
  const { maker, id, index, content } = envelope;
  const comma = content.indexOf(',');
  const word = content.toString('latin1', 0, comma < 0 ? content.length : comma).slice(0, 40);
  const head = { identities: [id], remember: { maker, hasIndex: index !== undefined } };
  // A watch whose keep-alive is not answered reconnects, and sends nothing else.
  if (!envelope.isWhole && !session.acceptsWrongChecksum && word !== 'LK')
    return { ...head, records: [], isDamaged: true };
  const data = comma < 0 ? '' : content.toString('latin1', comma + 1, comma + 1 + MAX_TEXT);
  return { ...head, ...contentOf(word, data, envelope, session) };
}

const MAX_TEXT = 8192;

function contentOf(word: string, data: string, envelope: WatchEnvelope, session: TrackerSession): DecodedFrame {
  const reply = (content: string, when: ReplyPlan['when'] = 'now') => ({
    reply: { when, bytes: closeEnvelope(envelope, content) },
  });
  const fields = data.split(',').slice(0, 400);
  if (/^(?:UD|WT|AL)/.test(word)) {
    const isAlarm = word.startsWith('AL');
    const record = positionOf(fields, isAlarm, session.timeZone);
    return {
      records: record ? [record] : [],
      ...(record ? {} : { problem: `an unreadable ${word}`, isUnreadable: true }),
      ...(isAlarm ? reply('AL', 'afterDurable') : {}),
    };
  }
  switch (word) {
    case 'LK':
      return { records: signOfLife(fields), ...reply('LK') };
    case 'TKQ':
    case 'TKQ2':
      return { records: [], ...reply(word) };
    case 'INIT':
    case 'CONFIG':
      return { records: [], ...reply(`${word},1`) };
    case 'JXTK':
      return { records: [], problem: 'sound is not kept', ...reply('JXTKR,1', 'afterDurable') };
    case 'TK':
    case 'TK2':
    case 'img':
      return data.length <= 1 ? commandReply(word, data) : { records: [], problem: 'sound and pictures are not kept' };
    default:
      return healthOrReply(word, data, fields);
  }
}

/** steps, tumbles, battery */
function signOfLife(fields: readonly string[]): DecodedFrame['records'] {
  if (fields.length < 3) return [];
  const [steps, , battery] = fields;
  return [{ isValid: false, batteryPct: percentOf(battery), readings: readingsOf({ steps: countOf(steps) }) }];
}

function healthOrReply(word: string, data: string, fields: readonly string[]): DecodedFrame {
  const readings = data === '' ? undefined : healthOf(word, fields);
  if (readings === undefined) return commandReply(word, data);
  return { records: readings.length > 0 ? [{ isValid: false, readings }] : [] };
}

/** A watch confirms a command by repeating its keyword, with additional data. */
const commandReply = (word: string, data: string): DecodedFrame => ({
  records: [],
  commandReply: { text: textOf(readable(data === '' ? word : `${word},${data}`)), correlation: word.toUpperCase() },
});

const DEFAULT_MAKER = '3G';
const OWN_INDEX = '0001';

function encode(command: TrackerCommand, { identity, memory }: TrackerSession): EncodedCommand | undefined {
  const content = wordsOf(command);
  if (content === undefined || identity === undefined) return undefined;
  const maker = typeof memory.maker === 'string' ? memory.maker : DEFAULT_MAKER;
  return {
    bytes: closeEnvelope({ maker, id: identity, ...(memory.hasIndex === true ? { index: OWN_INDEX } : {}) }, content),
    correlation: content.split(',')[0]!.toUpperCase(),
  };
}

function wordsOf(command: TrackerCommand): string | undefined {
  if ('text' in command) return textCommand(command.text);
  switch (command.name) {
    case 'position':
      return 'CR';
    case 'reboot':
      return 'RESET';
    case 'interval': {
      const seconds = secondsOf(command.parameters, 10, 86_400);
      return seconds === undefined ? undefined : `UPLOAD,${seconds}`;
    }
    default:
      return undefined;
  }
}

/** `MESSAGE,` is followed by the text as hexadecimal UTF-16. */
function textCommand(text: string): string | undefined {
  const [, message] = /^MESSAGE,(.{1,200})$/s.exec(text) ?? [];
  if (message === undefined) return safeText(text, /[[\]*}]/);
  return `MESSAGE,${Buffer.from(message, 'utf16le').swap16().toString('hex')}`;
}
