import { type Advertised, type AdvertisedReading, type AdvertisementFormat, ELEMENT } from './advertisement.ts';
import { bthome } from './bthome.ts';
import { eddystone } from './eddystone.ts';
import { elementsOf } from './elements.ts';
import { ibeacon } from './ibeacon.ts';
import { minew } from './minew.ts';
import { ruuvi } from './ruuvi.ts';
import { teltonikaEye } from './teltonika-eye.ts';

/** Every format of advertisements that is read, for trackers and gateways alike. */
export const advertisementFormats: readonly AdvertisementFormat[] = [
  ibeacon,
  eddystone,
  bthome,
  ruuvi,
  minew,
  teltonikaEye,
];

export interface ReadAdvertisement extends Advertised {
  readonly name?: string;
  /** The formats that were recognised. */
  readonly formats: readonly string[];
}

/** What an advertisement says, from all its elements. Undefined if its bytes are no advertisement. */
export function readAdvertisement(bytes: Buffer): ReadAdvertisement | undefined {
  const elements = elementsOf(bytes);
  if (!elements || elements.length === 0) return undefined;
  let read: ReadAdvertisement = { formats: [], readings: [] };
  for (const element of elements) {
    if (element.type === ELEMENT.name || element.type === ELEMENT.shortName)
      read = { ...read, name: element.data.toString('utf8') };
    for (const format of advertisementFormats) {
      const advertised = format.decode(element);
      if (!advertised) continue;
      read = {
        ...read,
        ...advertised,
        formats: [...read.formats, format.name],
        readings: [...read.readings, ...advertised.readings],
      };
      break;
    }
  }
  return read;
}

/** Who was heard, and how well; each as far as the listener knows it. */
export interface HeardFrom {
  /** AA:BB:CC:DD:EE:FF */
  readonly address?: string;
  readonly rssi?: number;
  /** Whether the address is one that changes; then only what the advertisement calls itself names the sender. */
  readonly isAddressChanging?: boolean;
}

export interface HeardAdvertisement extends AdvertisedReading {
  readonly sensorDeviceId: string;
  readonly rssi?: number;
}

/** The readings of an advertisement, or `ble_seen` where it has none; nothing if it can't be said who sent it. */
export function heardIn(advertisement: Buffer, from: HeardFrom): HeardAdvertisement[] {
  const read = readAdvertisement(advertisement);
  const address = from.isAddressChanging ? undefined : from.address;
  const sensorDeviceId = read?.sensorDeviceId ?? address;
  if (sensorDeviceId === undefined) return [];
  const rssi = from.rssi === undefined ? {} : { rssi: from.rssi };
  if (read && read.readings.length > 0)
    return read.readings.map((reading) => ({ ...reading, sensorDeviceId, ...rssi }));
  const meta = {
    ...(read?.txPower === undefined ? {} : { txPower: read.txPower }),
    ...(read?.isEncrypted ? { isEncrypted: true } : {}),
    ...(from.address === undefined || from.address === sensorDeviceId ? {} : { address: from.address }),
  };
  const value = read?.name ?? read?.sensorDeviceId ?? advertisement.toString('hex');
  return [{ type: 'ble_seen', value, sensorDeviceId, ...rssi, ...(Object.keys(meta).length > 0 ? { meta } : {}) }];
}

/** A random address changes every few minutes, unless its two top bits say that it is static. */
export const isChangingAddress = (address: string, isRandom: boolean) =>
  isRandom && Number.parseInt(address.slice(0, 2), 16) >> 6 !== 3;
