import { u16 } from '../bytes.ts';
import type { CommandReply, ReplyPlan, TrackerMemory, TrackerSession } from '../tracker.ts';
import { frameWith, type Jt808Address, type Jt808Frame, shortFrameWith, textOf } from './frame.ts';

export const RESULT = { ok: 0, failure: 1, wrong: 2, unsupported: 3 } as const;
const NO_SUCH_TERMINAL = 4;

/** Memory key for the serial numbers of the server's messages. */
const SERIAL = 'serial';

export interface Jt808Answer {
  readonly reply: ReplyPlan;
  readonly remember: TrackerMemory;
}

type Maker = (serial: number, isRefused: boolean) => Buffer;

function answer({ memory }: TrackerSession, when: ReplyPlan['when'], make: Maker): Jt808Answer {
  const serial = typeof memory[SERIAL] === 'number' ? memory[SERIAL] : 0;
  return {
    // A getter, because few messages are rejected.
    reply: {
      when,
      bytes: make(serial, false),
      get refusal() {
        return make(serial, true);
      },
    },
    remember: { [SERIAL]: (serial + 1) & 0xffff },
  };
}

const addressOf = ({ id, version, mark }: Jt808Frame): Jt808Address =>
  version === undefined ? { id, mark } : { id, version, mark };

/** 8001: serial and type of the answered message, result. */
export function generalAnswer(
  frame: Jt808Frame,
  session: TrackerSession,
  when: ReplyPlan['when'],
  result: number = RESULT.ok,
): Jt808Answer {
  return answer(session, when, (serial, isRefused) => {
    const body = Buffer.alloc(5);
    body.writeUInt16BE(frame.serial, 0);
    body.writeUInt16BE(frame.type, 2);
    body[4] = isRefused ? RESULT.failure : result;
    return frameWith(0x8001, addressOf(frame), serial, body);
  });
}

/** 8100: serial of the answered message, result, and the authentication code. */
export function registerAnswer(frame: Jt808Frame, code: string, session: TrackerSession): Jt808Answer {
  return answer(session, 'now', (serial, isRefused) => {
    const head = Buffer.from([frame.serial >> 8, frame.serial & 0xff, isRefused ? NO_SUCH_TERMINAL : RESULT.ok]);
    const body = isRefused ? head : Buffer.concat([head, Buffer.from(code, 'latin1')]);
    return frameWith(0x8100, addressOf(frame), serial, body);
  });
}

/** 8109: year 2, month, day, hour, minute, second, result. */
export function timeAnswer(frame: Jt808Frame, session: TrackerSession): Jt808Answer {
  const now = new Date(session.now);
  const year = now.getUTCFullYear();
  return answer(session, 'now', (serial, isRefused) =>
    frameWith(
      0x8109,
      addressOf(frame),
      serial,
      Buffer.from([
        year >> 8,
        year & 0xff,
        now.getUTCMonth() + 1,
        now.getUTCDate(),
        now.getUTCHours(),
        now.getUTCMinutes(),
        now.getUTCSeconds(),
        isRefused ? RESULT.failure : RESULT.ok,
      ]),
    ),
  );
}

/** 8800: media id. Parts of it are answered individually. */
export const mediaAnswer = (frame: Jt808Frame, session: TrackerSession): Jt808Answer =>
  answer(session, 'afterDurable', (serial) => frameWith(0x8800, addressOf(frame), serial, frame.body.subarray(0, 4)));

/** 4401 for locks: type of the answered message, result. */
export const lockAnswer = (frame: Jt808Frame): { reply: ReplyPlan } => ({
  reply: {
    when: 'afterDurable',
    bytes: shortFrameWith(0x4401, addressOf(frame), 1, Buffer.from([frame.type >> 8, frame.type & 0xff, RESULT.ok])),
  },
});

const RESULTS = ['OK', 'Failed', 'Wrong message', 'Not supported', 'Alarm confirmed'];

/** The reply to a command, if this is one. Most start with the serial of the command. */
export function commandReplyOf({ type, body }: Jt808Frame): CommandReply | undefined {
  const serial = u16(body, 0);
  switch (type) {
    case 0x0001:
      return body.length < 5 ? undefined : named(serial, RESULTS[body[4]!] ?? `Result ${body[4]}`, body[4] !== 0);
    case 0x0104:
      return named(serial, parametersOf(body));
    case 0x0201:
    case 0x0500:
      return named(serial, 'OK');
    case 0x0302:
      return named(serial, `Jt808Answer ${body[2] ?? ''}`);
    case 0x0701:
      return { text: textOf(body.subarray(4)) };
    case 0x1300:
      return named(serial, utf16Of(body.subarray(2)));
    case 0x6006:
      return { text: textOf(body.subarray(1)) };
    default:
      return undefined;
  }
}

/** Some manufacturers send 0 as the serial of the answered command. */
const named = (serial: number | undefined, text: string, isFailure = false): CommandReply => ({
  text,
  ...(serial ? { correlation: String(serial) } : {}),
  ...(isFailure ? { isFailure } : {}),
});

function utf16Of(bytes: Buffer): string {
  const even = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  return even.swap16().toString('utf16le').trim();
}

/** Serial 2, count 1, then (identifier 4, length 1, value). */
function parametersOf(body: Buffer): string {
  const pairs: string[] = [];
  for (let at = 3; at + 5 <= body.length; ) {
    const end = at + 5 + body[at + 4]!;
    if (end > body.length) break;
    const value = body.subarray(at + 5, end);
    const text = value.toString('latin1').replace(/\0+$/, '');
    const isText = text.length > 0 && value.length > 4 && /^[\x20-\x7e]+$/.test(text);
    const shown = isText || value.length > 4 || value.length === 0 ? text : value.readUIntBE(0, value.length);
    pairs.push(`${body.readUInt32BE(at).toString(16).padStart(4, '0')}=${shown}`);
    at = end;
  }
  return pairs.join(' ');
}
