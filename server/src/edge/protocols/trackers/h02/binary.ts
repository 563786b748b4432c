import { bcd, u8, u16, u32 } from '../bytes.ts';
import { cellReadings } from '../record/networks.ts';
import { decimalOf, digitsOf, epochOfDigits, KMH_PER_KNOT, placeOf, towards } from '../text/numbers.ts';
import type { DecodedFrame, TrackerSession } from '../tracker.ts';
import { idDigitsOf } from './cutting.ts';
import { batteryOf, statusOf } from './position.ts';

const EAST = 8;
const NORTH = 4;
const VALID = 2;
const WITH_CELL_BYTES = 45;
/** These models repeat a frame until it is confirmed; others expect no confirmation. */
const CONFIRMED_MODELS = /ST-?9\d\d[A-Z]*L/i;

export function decodeBinary(frame: Buffer, session: TrackerSession): DecodedFrame {
  const idDigits = idDigitsOf(frame);
  const from = 1 + idDigits / 2;
  const digits = bcd(frame, from, from + 19);
  const status = u32(frame, from + 19);
  const flags = Number.parseInt(digits[31] ?? '', 16);
  if (status === undefined || !/^\d{20}..\d{9}.\d{6}$/.test(digits)) return { records: [], problem: 'not a position' };
  const id = bcd(frame, 1, from).slice(0, idDigits === 16 ? 15 : 10);
  const lat = minutesOf(digits.slice(12, 20), 2);
  const lng = minutesOf(digits.slice(22, 31), 3);
  const timestamp = epochOfDigits(digits.slice(6, 12), 'dmy', digits.slice(0, 6));
  const { readings = [], standingAlarms } = statusOf(status);
  const isConfirmed = CONFIRMED_MODELS.test(session.model ?? '');
  return {
    identities: [id],
    records: [
      {
        timestamp,
        ...placeOf(
          towards(lat, flags & NORTH ? 'N' : 'S'),
          towards(lng, flags & EAST ? 'E' : 'W'),
          (flags & VALID) !== 0 && timestamp !== undefined,
        ),
        speedKmh: Number(digits.slice(32, 35)) * KMH_PER_KNOT,
        courseDeg: decimalOf(digits.slice(35, 38)),
        batteryPct: batteryOf(u8(frame, from + 10)),
        readings: [...readings, ...cellOf(frame)],
        standingAlarms,
      },
    ],
    ...(isConfirmed
      ? {
          reply: {
            when: 'afterDurable' as const,
            bytes: Buffer.from(`*HQ,${id},R12,${digitsOf(session.now).slice(8)}#`),
          },
        }
      : {}),
  };
}

/** Degrees, then minutes with four decimals. */
const minutesOf = (digits: string, degrees: number) =>
  Number(digits.slice(0, degrees)) + Number(digits.slice(degrees)) / 10_000 / 60;

function cellOf(frame: Buffer) {
  const mcc = u16(frame, 37)!;
  if (frame.length !== WITH_CELL_BYTES || mcc < 200 || mcc > 799) return [];
  return cellReadings([{ mcc, mnc: u8(frame, 39)!, lac: u16(frame, 40)!, cid: u16(frame, 42)! }]);
}
