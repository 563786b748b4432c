import { Cursor } from '../frame/cursor.ts';
import { fixOf } from '../frame/fix.ts';
import type { DecodedFrame, TrackerRecord } from '../tracker.ts';
import { compressedRecords } from './compressed.ts';
import { recordOf } from './record.ts';
import { recordsIn } from './tags.ts';

/** What comes by Iridium is wrapped by its operator: elements of a kind, a length, a value, big-endian. */
const ELEMENT = { head: 0x01, payload: 0x02, place: 0x03 } as const;
const HEAD_LENGTH = 0x1c;

/** The length of the head tells such a message from tags, of which none is 1C. Undefined: too few bytes to tell. */
export function isSatellite(bytes: Buffer, at: number): boolean | undefined {
  const [kind, high, low] = bytes.subarray(at + 3, at + 6);
  if (bytes[at] !== 0x01 || (kind ?? ELEMENT.head) !== ELEMENT.head || (high ?? 0) !== 0) return false;
  return low === undefined ? undefined : low === HEAD_LENGTH;
}

export function decodeSatellite(frame: Buffer, now: number): DecodedFrame {
  const elements = new Map<number, Buffer>();
  const cursor = new Cursor(frame, 3);
  while (cursor.left > 0) {
    const kind = cursor.u8();
    const value = cursor.take(cursor.u16());
    if (cursor.isShort) break;
    elements.set(kind, value);
  }
  const head = elements.get(ELEMENT.head);
  const imei = head?.toString('latin1', 4, 19) ?? '';
  if (!head || head.length !== HEAD_LENGTH || !/^\d{15}$/.test(imei))
    return { records: [], problem: 'The head of the message is not one.' };
  const records = recordsOf(elements, head.readUInt32BE(24) * 1000, now);
  return { identities: [imei], records };
}

/** What the device says; where it says no place, the satellites know it roughly. */
function recordsOf(elements: ReadonlyMap<number, Buffer>, sentAt: number, now: number): TrackerRecord[] {
  const payload = elements.get(ELEMENT.payload) ?? Buffer.alloc(0);
  const tagged = recordsIn(new Cursor(payload));
  const plain = tagged.isWhole ? tagged.records.map(recordOf).filter((record) => record !== undefined) : [];
  if (plain.length > 0) return plain;
  const compressed = compressedRecords(new Cursor(payload), now);
  if (compressed.isWhole && compressed.records.length > 0) return compressed.records;
  return [{ timestamp: sentAt, ...roughPlace(elements.get(ELEMENT.place)), locationType: 'gsm' }];
}

/** Flags, degrees and thousandths of a minute of each, and the radius in kilometres. */
function roughPlace(bytes: Buffer | undefined): Pick<TrackerRecord, 'location' | 'isValid' | 'accuracyM'> {
  if (!bytes || bytes.length < 11) return { isValid: false };
  const lat = bytes[1]! + bytes.readUInt16BE(2) / 60_000;
  const lng = bytes[4]! + bytes.readUInt16BE(5) / 60_000;
  return {
    ...fixOf(bytes[0]! & 2 ? -lat : lat, bytes[0]! & 1 ? -lng : lng, true),
    accuracyM: bytes.readUInt32BE(7) * 1000,
  };
}
