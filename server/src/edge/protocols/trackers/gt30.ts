import type { AlarmWord } from './alarm-words.ts';
import { cut, startsLike } from './text/cut.ts';
import { decimalOf, degreesOf, epochOfDigits, KMH_PER_KNOT, placeOf } from './text/numbers.ts';
import type { DecodedFrame, TrackerProtocol, TrackerSession } from './tracker.ts';

/**
 * GT30 and similar: `$$`, length 4 hex digits, an id padded with spaces to 14, type 4 hex digits, for an alarm its
 * number as one byte, a position as in RMC, `|` HDOP, `|` altitude, CRC-16/CCITT of all preceding bytes, end of line.
 * The length is that of the whole frame.
 */
const MAX_FRAME = 512;
const WHOLE = /^\$\$[0-9A-F]{4}[\w ]{14}[0-9A-F]{4}/;
const BEGINNING = /^\$(?:\$(?:[0-9A-F]{0,4}|[0-9A-F]{4}(?:[\w ]{0,14}|[\w ]{14}[0-9A-F]{0,3})))?$/;
const FIELDS =
  /^\$\$[0-9A-F]{4}([\w ]{14})([0-9A-F]{4})([^\d])?(\d{6}(?:\.\d+)?),([AV]),([\d.]*),([NS]?),([\d.]*),([EW]?),([\d.]*),([\d.]*),(\d{6})[^|]*\|([\d.]+)\|(-?\d+)$/s;
const ALARMS: Readonly<Record<number, AlarmWord>> = {
  1: 'sos',
  2: 'sos',
  3: 'sos',
  16: 'lowBattery',
  17: 'overspeed',
  18: 'geofence',
};

export const gt30: TrackerProtocol = {
  name: 'gt30',
  wellKnownPort: 5131,
  maxFrameBytes: MAX_FRAME,
  recognise: (start) => startsLike(start, WHOLE, BEGINNING),
  split: (stream) => cut(stream, MAX_FRAME, lengthAt),
  decode,
  commands: [],
  repliesNameCommand: false,
};

function lengthAt(stream: Buffer, at: number): number | undefined {
  const head = stream.toString('latin1', at, at + 24);
  if (!WHOLE.test(head)) return BEGINNING.test(head) ? undefined : 0;
  const window = stream.toString('latin1', at, at + MAX_FRAME);
  const end = window.indexOf('\r\n');
  // A frame that contains the start of another was truncated.
  const next = window.indexOf('$$', 2);
  if (next > 0 && (end < 0 || next < end)) return -next;
  return end < 0 ? undefined : end + 2;
}

function decode(frame: Buffer, { acceptsWrongChecksum, timeZone }: TrackerSession): DecodedFrame {
  const line = frame.toString('latin1').replace(/[\r\n]+$/, '');
  const body = line.slice(0, -4);
  if (Number.parseInt(line.slice(-4), 16) !== crcCcitt(Buffer.from(body, 'latin1')) && !acceptsWrongChecksum)
    return { records: [], isDamaged: true, problem: 'The checksum is wrong.' };
  const found = FIELDS.exec(body);
  const id = body.slice(6, 20).trim();
  if (id === '') return { records: [], problem: 'The frame has no device id.' };
  if (!found)
    return { identities: [id], records: [], problem: `A message of type ${body.slice(20, 24)} is not supported.` };
  const [, , , alarm, time, flag, lat, ns, lng, ew, speed, course, date, hdop, altitude] = found;
  const knots = decimalOf(speed);
  const word = alarm === undefined ? undefined : ALARMS[alarm.charCodeAt(0)];
  return {
    identities: [id],
    records: [
      {
        timestamp: epochOfDigits(date, 'dmy', time, timeZone),
        ...placeOf(degreesOf(lat, ns), degreesOf(lng, ew), flag === 'A'),
        speedKmh: knots === undefined ? undefined : knots * KMH_PER_KNOT,
        courseDeg: decimalOf(course),
        hdop: decimalOf(hdop),
        altitudeM: decimalOf(altitude),
        ...(alarm !== undefined && { alarms: [word ?? 'general'] }),
      },
    ],
  };
}

/** CRC-16/CCITT-FALSE. */
function crcCcitt(bytes: Buffer): number {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}
