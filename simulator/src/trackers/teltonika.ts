import { arc } from './checksums.ts';
import { dateOf, type LocatedPoint, type TrackerAnswer, type TrackerVoice } from './voice.ts';

const CODEC_8 = 8;
const MOVEMENT = 240;
const BATTERY_PCT = 113;

/** Teltonika over TCP, with records of Codec 8. */
export const teltonika: TrackerVoice = {
  isConfirmed: true,
  pointsPerFrame: 20,

  login(identity) {
    const imei = Buffer.from(identity, 'latin1');
    return Buffer.concat([Buffer.from([0, imei.length]), imei]);
  },

  report(_identity, points) {
    const body = Buffer.concat([
      Buffer.from([CODEC_8, points.length]),
      ...points.map(recordOf),
      Buffer.from([points.length]),
    ]);
    const frame = Buffer.alloc(8 + body.length + 4);
    frame.writeUInt32BE(body.length, 4);
    body.copy(frame, 8);
    frame.writeUInt32BE(arc(body), 8 + body.length);
    return frame;
  },

  onData(bytes, isLoggedIn) {
    const answers: TrackerAnswer[] = [];
    let at = 0;
    if (!isLoggedIn && bytes.length > 0) {
      answers.push(bytes[0] === 1 ? 'accepted' : 'refused');
      at = 1;
    }
    for (; at + 4 <= bytes.length; at += 4) answers.push(bytes.readUInt32BE(at) > 0 ? 'confirmed' : 'other');
    return { answers, remaining: bytes.subarray(at) };
  },
};

function recordOf(point: LocatedPoint): Buffer {
  const record = Buffer.alloc(24);
  record.writeBigUInt64BE(BigInt(dateOf(point).getTime()), 0);
  record.writeInt32BE(Math.round(point.location.lng * 1e7), 9);
  record.writeInt32BE(Math.round(point.location.lat * 1e7), 13);
  record.writeInt16BE(Math.round(point.altitude ?? 0), 17);
  record.writeUInt16BE(Math.round(point.course ?? 0), 19);
  record[21] = point.sats ?? 4;
  record.writeUInt16BE(Math.round(point.speed ?? 0), 22);
  const isMoving = (point.speed ?? 0) > 3 ? 1 : 0;
  const values = [0, 2, 2, MOVEMENT, isMoving, BATTERY_PCT, Math.round(point.batteryPct), 0, 0, 0];
  return Buffer.concat([record, Buffer.from(values)]);
}
