import { crcArc } from '../bytes.ts';

/** Builds frames of Teltonika devices. */

export interface TestIo {
  readonly id: number;
  /** 1, 2, 4, 8 or 16 bytes; or any number of them if `isVariable`. */
  readonly hex: string;
  readonly isVariable?: boolean;
}

export interface TestRecord {
  readonly timestamp: number;
  readonly priority?: number;
  readonly lat?: number;
  readonly lng?: number;
  readonly altitudeM?: number;
  readonly courseDeg?: number;
  readonly sats?: number;
  readonly speedKmh?: number;
  readonly eventId?: number;
  readonly generation?: number;
  readonly io?: readonly TestIo[];
}

const number = (value: number, bytes: number) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};
const signed = (value: number, bytes: number) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeIntBE(value, 0, bytes);
  return buffer;
};

export const imeiFrame = (imei: string) => Buffer.concat([number(imei.length, 2), Buffer.from(imei)]);

/** The data of a packet: codec, count, records, count. */
export function avlData(codec: number, records: readonly TestRecord[], widths = [1, 2, 4, 8]): Buffer {
  const isExtended = codec === 0x8e;
  const idBytes = codec === 0x08 ? 1 : 2;
  const countBytes = isExtended ? 2 : 1;
  const recordOf = (record: TestRecord) => {
    const io = record.io ?? [];
    const groups = widths.map((width) => io.filter(({ hex, isVariable }) => !isVariable && hex.length === width * 2));
    const variable = io.filter(({ isVariable }) => isVariable);
    return Buffer.concat([
      number(Math.floor(record.timestamp / 2 ** 32), 4),
      number(record.timestamp % 2 ** 32, 4),
      number(record.priority ?? 0, 1),
      signed(Math.round((record.lng ?? 0) * 1e7), 4),
      signed(Math.round((record.lat ?? 0) * 1e7), 4),
      signed(record.altitudeM ?? 0, 2),
      number(record.courseDeg ?? 0, 2),
      number(record.sats ?? 0, 1),
      number(record.speedKmh ?? 0, 2),
      number(record.eventId ?? 0, idBytes),
      ...(codec === 0x10 ? [number(record.generation ?? 7, 1)] : []),
      number(io.length, countBytes),
      ...groups.flatMap((group) => [
        number(group.length, countBytes),
        ...group.flatMap(({ id, hex }) => [number(id, idBytes), Buffer.from(hex, 'hex')]),
      ]),
      ...(isExtended
        ? [
            number(variable.length, 2),
            ...variable.flatMap(({ id, hex }) => [number(id, 2), number(hex.length / 2, 2), Buffer.from(hex, 'hex')]),
          ]
        : []),
    ]);
  };
  return Buffer.concat([
    number(codec, 1),
    number(records.length, 1),
    ...records.map(recordOf),
    number(records.length, 1),
  ]);
}

/** A data packet with the framing of a stream. */
export const tcpFrame = (data: Buffer) =>
  Buffer.concat([Buffer.alloc(4), number(data.length, 4), data, number(crcArc(data, 0, data.length), 4)]);

export const udpFrame = (imei: string, data: Buffer, packetId = 0xcafe, avlPacketId = 1) => {
  const body = Buffer.concat([number(packetId, 2), Buffer.from([1, avlPacketId]), imeiFrame(imei), data]);
  return Buffer.concat([number(body.length, 2), body]);
};

/** Codecs 12 to 15. */
export const textData = (codec: number, type: number, payload: Buffer) =>
  Buffer.concat([Buffer.from([codec, 1, type]), number(payload.length, 4), payload, Buffer.from([1])]);
