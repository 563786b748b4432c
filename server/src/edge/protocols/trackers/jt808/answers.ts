import type { ReplyPlan, TrackerMemory, TrackerSession } from '../tracker.ts';
import { frameWith, type Jt808Address, type Jt808Frame, shortFrameWith } from './frame.ts';

export const RESULT = { ok: 0, failure: 1, wrong: 2, unsupported: 3 } as const;
const NO_SUCH_TERMINAL = 4;

/** Where the server's own numbers of messages are remembered. */
const SERIAL = 'serial';

export interface Jt808Answer {
  readonly reply: ReplyPlan;
  readonly remember: TrackerMemory;
}

type Maker = (serial: number, isRefused: boolean) => Buffer;

function answer({ memory }: TrackerSession, when: ReplyPlan['when'], make: Maker): Jt808Answer {
  const serial = typeof memory[SERIAL] === 'number' ? memory[SERIAL] : 0;
  return {
    // Few are refused, so that is made when it is asked for.
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

export const addressOf = ({ id, version, mark }: Jt808Frame): Jt808Address =>
  version === undefined ? { id, mark } : { id, version, mark };

/** 8001: serial and type of what is answered, result. */
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

/** 8100: serial of what is answered, result, and the code to authenticate with. */
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

/** 8800: number of the media. Parts of it are answered one by one. */
export const mediaAnswer = (frame: Jt808Frame, session: TrackerSession): Jt808Answer =>
  answer(session, 'afterDurable', (serial) => frameWith(0x8800, addressOf(frame), serial, frame.body.subarray(0, 4)));

/** 4401 for locks: type of what is answered, result. */
export const lockAnswer = (frame: Jt808Frame): { reply: ReplyPlan } => ({
  reply: {
    when: 'afterDurable',
    bytes: shortFrameWith(0x4401, addressOf(frame), 1, Buffer.from([frame.type >> 8, frame.type & 0xff, RESULT.ok])),
  },
});
