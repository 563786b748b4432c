import { xor } from './checksums.ts';
import { dateOf, type LocatedPoint, type TrackerAnswer, type TrackerVoice } from './voice.ts';

const MARK = 0x7e;
const REGISTER = 0x0100;
const LOCATION = 0x0200;
const REGISTERED = 0x8100;
const CONFIRMED = 0x8001;
/** The clock of such a device is China's. */
const ZONE_MS = 8 * 3_600_000;

/** JT/T 808 in its form of 2013. */
export const jt808: TrackerVoice = {
  isConfirmed: true,
  pointsPerFrame: 1,
  login: (identity) =>
    frame(REGISTER, identity, Buffer.concat([Buffer.alloc(25), Buffer.from('0'), Buffer.alloc(11)]), 0),
  report: (identity, [point], serial) => frame(LOCATION, identity, locationOf(point!), serial & 0xffff),

  onData(bytes) {
    const answers: TrackerAnswer[] = [];
    let at = 0;
    for (;;) {
      const end = bytes.indexOf(MARK, at + 1);
      if (end < 0) break;
      const answer = unescaped(bytes.subarray(at + 1, end));
      const type = answer.readUInt16BE(0);
      if (type === REGISTERED) answers.push(answer[14] === 0 ? 'accepted' : 'refused');
      else if (type === CONFIRMED) answers.push(answer.readUInt16BE(14) === LOCATION ? 'confirmed' : 'other');
      else answers.push('other');
      at = end + 1;
    }
    return { answers, remaining: bytes.subarray(at) };
  },
};

function locationOf(point: LocatedPoint): Buffer {
  const { lat, lng } = point.location;
  const body = Buffer.alloc(28);
  const [hasFix, isSouth, isWest] = [1 << 1, lat < 0 ? 1 << 2 : 0, lng < 0 ? 1 << 3 : 0];
  body.writeUInt32BE(hasFix | isSouth | isWest | ((point.speed ?? 0) > 3 ? 1 : 0), 4);
  body.writeUInt32BE(Math.round(Math.abs(lat) * 1e6), 8);
  body.writeUInt32BE(Math.round(Math.abs(lng) * 1e6), 12);
  body.writeUInt16BE(Math.max(0, Math.round(point.altitude ?? 0)), 16);
  body.writeUInt16BE(Math.round((point.speed ?? 0) * 10), 18);
  body.writeUInt16BE(Math.round(point.course ?? 0) % 360, 20);
  const digits = new Date(dateOf(point).getTime() + ZONE_MS).toISOString().replaceAll(/\D/g, '').slice(2, 14);
  body.write(digits, 22, 'hex');
  return Buffer.concat([body, Buffer.from([0x31, 1, point.sats ?? 4])]);
}

function frame(type: number, identity: string, body: Buffer, serial: number): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(body.length, 2);
  head.write(identity.padStart(12, '0').slice(-12), 4, 'hex');
  head.writeUInt16BE(serial, 10);
  const checked = Buffer.concat([head, body]);
  return Buffer.from([MARK, ...escaped([...checked, xor(checked)]), MARK]);
}

const escaped = (bytes: readonly number[]) =>
  bytes.flatMap((byte) => (byte === MARK ? [0x7d, 2] : byte === 0x7d ? [0x7d, 1] : [byte]));

function unescaped(bytes: Buffer): Buffer {
  const plain: number[] = [];
  let isEscape = false;
  for (const byte of bytes) {
    if (isEscape) plain.push(byte === 2 ? MARK : 0x7d);
    else if (byte !== 0x7d) plain.push(byte);
    isEscape = !isEscape && byte === 0x7d;
  }
  return Buffer.from(plain);
}
