import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { DecodedFrame, TrackerMemory, TrackerProtocol, TrackerSession } from '../protocols/trackers/tracker.ts';
import { recognise, recogniseDatagram } from './recognise.ts';

type Identified = AnswerOf<'identifyTracker'>;

/** Maximum number of decoded frames, and of returned positions and problems. */
const MOST = 100;
const HEX = /^(?:[0-9a-f]{2})+$/i;

/** Identifies the protocol of a sample, pasted as hexadecimal digits or as text, and decodes it. Stores nothing. */
export function identifySample(protocols: readonly TrackerProtocol[], data: string, now: number): Identified {
  const results = readings(data).map((bytes) => resultOf(protocols, bytes, now));
  return results.find(({ problem }) => problem === null) ?? results.find(({ protocol }) => protocol) ?? results[0]!;
}

/**
 * The possible bytes of a pasted text. A text field has no carriage returns, and the end of the last line is often
 * missing.
 */
function readings(data: string): Buffer[] {
  const digits = data.replaceAll(/0x|[\s:,-]/gi, '');
  if (HEX.test(digits)) return [Buffer.from(digits, 'hex')];
  const plain = data.trim();
  const lines = `${plain.replaceAll(/\r?\n/g, '\r\n')}\r\n`;
  return [lines, plain].map((text) => Buffer.from(text, 'latin1'));
}

function resultOf(protocols: readonly TrackerProtocol[], bytes: Buffer, now: number): Identified {
  const byStream = recognise(protocols, bytes);
  const protocol = typeof byStream === 'object' ? byStream : recogniseDatagram(protocols, bytes);
  const nothing = { identities: [], positions: [], reasons: [] };
  if (protocol === undefined)
    return { protocol: null, wellKnownPort: null, problem: byStream === 'more' ? 'incomplete' : 'unknown', ...nothing };
  const decoded = decodedOf(protocol, bytes, now);
  const sound = decoded.filter(({ isDamaged }) => !isDamaged);
  const reasons = [...new Set(decoded.flatMap(({ problem, isDamaged }) => problem ?? (isDamaged ? DAMAGED : [])))];
  return {
    protocol: protocol.name,
    wellKnownPort: protocol.wellKnownPort,
    problem: decoded.length === 0 ? 'incomplete' : reasons.length === 0 ? null : 'unreadable',
    reasons: reasons.slice(0, MOST),
    identities: [...new Set(sound.flatMap(({ identities = [] }) => identities))].slice(0, MOST),
    positions: sound
      .flatMap(({ records }) => records)
      .flatMap(({ location, timestamp, isValid, speedKmh, alarms = [] }) =>
        location === undefined
          ? []
          : [{ location, timestamp: isoOf(timestamp), isValid, speed: speedKmh ?? null, alarms: [...alarms] }],
      )
      .slice(0, MOST),
  };
}

const DAMAGED = 'The checksum is wrong.';
const LAST_TIME = 8.64e15;
const isoOf = (time: number | undefined) =>
  time === undefined || !(Math.abs(time) <= LAST_TIME) ? null : new Date(time).toISOString();

function decodedOf(protocol: TrackerProtocol, bytes: Buffer, now: number): DecodedFrame[] {
  const { transport, frames } = framesOf(protocol, bytes);
  let memory: TrackerMemory = {};
  let identity: string | undefined;
  return frames.slice(0, MOST).map((frame) => {
    const session: TrackerSession = {
      transport,
      now,
      acceptsWrongChecksum: false,
      memory,
      ...(identity && { identity }),
    };
    const decoded = protocol.decode(frame, session);
    memory = { ...memory, ...decoded.remember };
    identity = decoded.identities?.[0] ?? identity;
    return decoded;
  });
}

/** Splits the bytes like a stream that has ended, or else like a datagram. */
function framesOf(protocol: TrackerProtocol, bytes: Buffer): Pick<TrackerSession, 'transport'> & { frames: Buffer[] } {
  const { frames, remaining } = protocol.split(bytes);
  const all = [...frames, ...(remaining.length > 0 ? (protocol.splitRemaining?.(remaining).frames ?? []) : [])];
  if (all.length > 0 || protocol.splitDatagram === undefined) return { transport: 'tcp', frames: all };
  return { transport: 'udp', frames: [...protocol.splitDatagram(bytes).frames] };
}
