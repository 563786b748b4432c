import { type Advertised, type AdvertisedReading, type AdvertisementFormat, ELEMENT } from './advertisement.ts';
import { bthome } from './bthome.ts';
import { eddystone } from './eddystone.ts';
import { elementsOf } from './elements.ts';
import { ibeacon } from './ibeacon.ts';
import { minew } from './minew.ts';
import { ruuvi } from './ruuvi.ts';
import { teltonikaEye } from './teltonika-eye.ts';

/** All supported advertisement formats, for trackers and gateways. */
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
  /** The recognised formats. */
  readonly formats: readonly string[];
}

/** Decodes all elements of an advertisement. Undefined if the bytes are not an advertisement. */
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

/** The sender and its signal, as far as the receiver knows them. */
export interface AdvertisementSource {
  /** AA:BB:CC:DD:EE:FF */
  readonly address?: string;
  readonly rssi?: number;
  /**
   * Whether the address is a changing (private) one. Then only the identity in the advertisement identifies the sender.
   */
  readonly isAddressChanging?: boolean;
}

export interface SightedReading extends AdvertisedReading {
  readonly sensorDeviceId: string;
  readonly rssi?: number;
}

/** The readings of an advertisement, or `ble_seen` if it has none; empty if the sender cannot be identified. */
export function sightingsIn(advertisement: Buffer, from: AdvertisementSource): SightedReading[] {
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

/** A random address changes every few minutes, unless its two top bits mark it as static. */
export const isChangingAddress = (address: string, isRandom: boolean) =>
  isRandom && Number.parseInt(address.slice(0, 2), 16) >> 6 !== 3;
