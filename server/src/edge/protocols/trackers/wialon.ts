import { inflateSync } from 'node:zlib';
import type { DecodedFrame, EncodedCommand, TrackerCommand, TrackerProtocol, TrackerSession } from './tracker.ts';
import { isPacked, MAX_FRAME_BYTES, packedBytes, recognise, split, splitDatagram } from './wialon/cutting.ts';
import { decodeLine } from './wialon/lines.ts';

/** Wialon IPS 1.1, 2.0 and 2.1: lines of text, `#TYPE#body`. */
export const wialon: TrackerProtocol = {
  name: 'wialon',
  wellKnownPort: 5039,
  maxFrameBytes: MAX_FRAME_BYTES,
  recognise,
  split,
  splitDatagram,
  decode,
  encode,
  commands: [],
  repliesNameCommand: false,
};

const MOST_UNPACKED_BYTES = 262_144;
const MOST_LINES = 100;
const MOST_RECORDS = 4096;

function decode(frame: Buffer, session: TrackerSession): DecodedFrame {
  if (!isPacked(frame)) return decodeLine(trimmed(frame), session);
  const text = unpacked(packedBytes(frame));
  if (text === undefined) return { records: [], problem: 'its compression is not valid' };
  return joined(
    split(text)
      .frames.slice(0, MOST_LINES)
      .map((line) => decodeLine(trimmed(line), session)),
  );
}

const trimmed = (line: Buffer) => line.toString('latin1').replace(/[\r\n]+$/, '');

function unpacked(bytes: Buffer): Buffer | undefined {
  try {
    const text = inflateSync(bytes, { maxOutputLength: MOST_UNPACKED_BYTES });
    return text.at(-1) === 0x0a ? text : Buffer.concat([text, Buffer.from('\n')]);
  } catch {
    return undefined;
  }
}

/** Merges the lines of a compressed packet into one frame. */
function joined(lines: readonly DecodedFrame[]): DecodedFrame {
  const replies = lines.flatMap(({ reply }) => reply ?? []);
  const waits = replies.some(({ when }) => when === 'afterDurable');
  return {
    ...lines.find(({ identities }) => identities !== undefined),
    records: lines.flatMap(({ records }) => records).slice(0, MOST_RECORDS),
    commandReply: lines.find(({ commandReply }) => commandReply !== undefined)?.commandReply,
    problem: lines.find(({ problem }) => problem !== undefined)?.problem,
    ...(lines.some(({ isDamaged }) => isDamaged) ? { isDamaged: true } : {}),
    isUnreadable: lines.some(({ isUnreadable }) => isUnreadable),
    ...(replies.length > 0
      ? {
          reply: {
            when: waits ? ('afterDurable' as const) : ('now' as const),
            bytes: Buffer.concat(replies.map(({ bytes }) => bytes)),
            refusal: replies.find(({ refusal }) => refusal !== undefined)?.refusal,
          },
        }
      : { reply: undefined }),
  };
}

/** Texts are sent as messages to the driver. Further text commands depend on the device. */
function encode(command: TrackerCommand): EncodedCommand | undefined {
  if (!('text' in command)) return undefined;
  const isLine = command.text.length > 0 && command.text.length <= 500 && !/\p{Cc}/u.test(command.text);
  return isLine ? { bytes: Buffer.from(`#M#${command.text}\r\n`) } : undefined;
}
