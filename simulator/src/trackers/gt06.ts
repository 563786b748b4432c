import { x25 } from './checksums.ts';
import { dateOf, type LocatedPoint, type TrackerAnswer, type TrackerVoice } from './voice.ts';

const LOGIN = 0x01;
const LOCATION = 0x22;
const PLACE = 0x10;
const PLACE_BYTES = 18;

/** GT06 and its many relatives. */
export const gt06: TrackerVoice = {
  isConfirmed: true,
  pointsPerFrame: 1,
  login: (identity) => frame(LOGIN, Buffer.from(identity.padStart(16, '0'), 'hex'), 1),

  report(_identity, [point], serial) {
    const content = Buffer.alloc(PLACE_BYTES + 8 + 3);
    writePlace(content, point!);
    content.writeUInt16BE(262, PLACE_BYTES);
    content[PLACE_BYTES + 2] = 1;
    content.writeUInt16BE(0x18d8, PLACE_BYTES + 3);
    content.writeUIntBE(0x6141, PLACE_BYTES + 5, 3);
    return frame(LOCATION, content, serial & 0xffff);
  },

  onData(bytes) {
    const answers: TrackerAnswer[] = [];
    let at = 0;
    while (at + 5 <= bytes.length) {
      const length = bytes[at + 2]! + 5;
      if (at + length > bytes.length) break;
      const type = bytes[at + 3];
      answers.push(type === LOGIN ? 'accepted' : type === LOCATION || type === PLACE ? 'confirmed' : 'other');
      at += length;
    }
    return { answers, remaining: bytes.subarray(at) };
  },
};

/** A frame that tells a position and nothing else: neither the ignition nor the cell. */
export function gt06Place(point: LocatedPoint, serial: number): Buffer {
  const content = Buffer.alloc(PLACE_BYTES);
  writePlace(content, point);
  return frame(PLACE, content, serial & 0xffff);
}

function writePlace(content: Buffer, point: LocatedPoint): void {
  const at = dateOf(point);
  const { lat, lng } = point.location;
  const clock = [
    at.getUTCFullYear() - 2000,
    at.getUTCMonth() + 1,
    at.getUTCDate(),
    at.getUTCHours(),
    at.getUTCMinutes(),
  ];
  content.set([...clock, at.getUTCSeconds(), 0xc0 | Math.min(15, point.sats ?? 4)]);
  content.writeUInt32BE(Math.round(Math.abs(lat) * 1_800_000), 7);
  content.writeUInt32BE(Math.round(Math.abs(lng) * 1_800_000), 11);
  content[15] = Math.min(255, Math.round(point.speed ?? 0));
  const isValid = 1 << 12;
  const course = Math.round(point.course ?? 0) % 360;
  content.writeUInt16BE(isValid | (lng < 0 ? 1 << 11 : 0) | (lat >= 0 ? 1 << 10 : 0) | course, 16);
}

function frame(type: number, content: Buffer, serial: number): Buffer {
  const checked = Buffer.concat([
    Buffer.from([content.length + 5, type]),
    content,
    Buffer.from([serial >> 8, serial & 0xff]),
  ]);
  const sum = x25(checked);
  return Buffer.concat([Buffer.from([0x78, 0x78]), checked, Buffer.from([sum >> 8, sum & 0xff, 0x0d, 0x0a])]);
}
