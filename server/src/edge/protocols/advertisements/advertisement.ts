/** One element of a Bluetooth Low Energy advertisement: a type and its bytes. */
export interface AdvertisementElement {
  readonly type: number;
  readonly data: Buffer;
}

export const ELEMENT = { shortName: 0x08, name: 0x09, serviceData: 0x16, manufacturerData: 0xff } as const;

/** An advertisement format of beacons and sensors. Pure: no clock, no I/O, never throws. */
export interface AdvertisementFormat {
  readonly name: string;
  /** Undefined if the element has another format or is invalid. */
  decode(element: AdvertisementElement): Advertised | undefined;
}

/** The content of an advertisement. */
export interface Advertised {
  /** Its own identity: `uuid-major-minor`, `namespace-instance`, or an address in the data. */
  readonly sensorDeviceId?: string;
  readonly readings: readonly AdvertisedReading[];
  /** Distinguishes one measurement, which is sent many times, from the next. */
  readonly packetId?: number;
  readonly txPower?: number;
  readonly isEncrypted?: boolean;
}

export interface AdvertisedReading {
  readonly type: string;
  readonly value: unknown;
  readonly meta?: Record<string, unknown>;
}

/** The bytes after a 16-bit service number, if the element is data of that service. */
export function serviceData({ type, data }: AdvertisementElement, service: number): Buffer | undefined {
  return type === ELEMENT.serviceData && data.length >= 2 && data.readUInt16LE(0) === service
    ? data.subarray(2)
    : undefined;
}

/** The bytes after a company identifier, if the element is data of that company. */
export function manufacturerData({ type, data }: AdvertisementElement, maker: number): Buffer | undefined {
  return type === ELEMENT.manufacturerData && data.length >= 2 && data.readUInt16LE(0) === maker
    ? data.subarray(2)
    : undefined;
}

/** AA:BB:CC:DD:EE:FF */
export const addressOf = (bytes: Buffer) => (bytes.toString('hex').toUpperCase().match(/../g) ?? []).join(':');

/** An address whose bytes are sent in reverse order. */
export const reversedAddressOf = (bytes: Buffer) => addressOf(Buffer.from(bytes).reverse());

export function beaconId(bytes: Buffer): string {
  const uuid = bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return `${uuid}-${bytes.readUInt16BE(16)}-${bytes.readUInt16BE(18)}`;
}

export const eddystoneId = (bytes: Buffer) => `${bytes.toString('hex', 0, 10)}-${bytes.toString('hex', 10, 16)}`;
