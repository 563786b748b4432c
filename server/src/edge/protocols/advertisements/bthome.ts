import { type AdvertisedReading, type AdvertisementFormat, serviceData } from './advertisement.ts';
import { BTHOME_OBJECTS, type BthomeObject, BUTTON_PRESSES } from './bthome-objects.ts';

const BTHOME = 0xfcd2;
const PACKET_ID = 0x00;

/** Version 2. Encrypted data is recognised but not decoded, since only the owner has the key. */
export const bthome: AdvertisementFormat = {
  name: 'bthome',
  decode(element) {
    const data = serviceData(element, BTHOME);
    if (!data || data.length === 0 || data[0]! >> 5 !== 2) return undefined;
    if (data[0]! & 1) return { readings: [], isEncrypted: true };
    let packetId: number | undefined;
    const readings: AdvertisedReading[] = [];
    let at = 1;
    while (at < data.length) {
      const id = data[at]!;
      const object = BTHOME_OBJECTS.get(id);
      // The length of an unknown object is unknown too, so the objects after it cannot be read.
      if (!object) break;
      const from = object.bytes === 'text' ? at + 2 : at + 1;
      const end = from + (object.bytes === 'text' ? (data[at + 1] ?? 0) : object.bytes);
      if (end > data.length) break;
      const bytes = data.subarray(from, end);
      if (id === PACKET_ID) packetId = bytes[0];
      else if (object.type) readings.push(...readingOf(object, bytes));
      at = end;
    }
    return { readings: numbered(readings), ...(packetId === undefined ? {} : { packetId }) };
  },
};

function readingOf({ type, kind, divisor = 1, isSigned }: BthomeObject, bytes: Buffer): AdvertisedReading[] {
  if (kind === 'text') return [{ type: type!, value: bytes.toString('utf8') }];
  const raw = isSigned ? bytes.readIntLE(0, bytes.length) : bytes.readUIntLE(0, bytes.length);
  if (kind === 'button') {
    const press = BUTTON_PRESSES.get(raw);
    return press ? [{ type: type!, value: press }] : [];
  }
  return [{ type: type!, value: kind === 'flag' ? raw !== 0 : raw / divisor }];
}

/** The second of two buttons is `button2`. */
function numbered(readings: readonly AdvertisedReading[]): AdvertisedReading[] {
  const seen = new Map<string, number>();
  return readings.map((reading) => {
    const count = (seen.get(reading.type) ?? 0) + 1;
    seen.set(reading.type, count);
    return count === 1 ? reading : { ...reading, type: `${reading.type}${count}` };
  });
}
