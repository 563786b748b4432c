/** `6767`, the kind, the length of what follows, a serial number, the body. */
export interface EelinkPackage {
  readonly type: number;
  readonly serial: number;
  readonly body: Buffer;
}

export const TYPE = {
  login: 0x01,
  oldPosition: 0x02,
  heartbeat: 0x03,
  oldAlarm: 0x04,
  oldState: 0x05,
  oldMessage: 0x06,
  obd: 0x07,
  normal: 0x12,
  warning: 0x14,
  report: 0x15,
  message: 0x16,
  obdData: 0x17,
  obdBody: 0x18,
  obdCode: 0x19,
  command: 0x80,
  data: 0x81,
} as const;

export const MARK = 0x6767;
export const ENVELOPE = 0x454c;
const HEAD = 7;

export function packageOf(type: number, serial: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD);
  head.writeUInt16BE(MARK, 0);
  head[2] = type;
  head.writeUInt16BE(2 + body.length, 3);
  head.writeUInt16BE(serial, 5);
  return Buffer.concat([head, body]);
}

/** The packages in a frame; `isWhole` false if there is something else in it. */
export function packagesIn(bytes: Buffer): { packages: EelinkPackage[]; isWhole: boolean } {
  const packages: EelinkPackage[] = [];
  let at = 0;
  while (at + HEAD <= bytes.length && bytes.readUInt16BE(at) === MARK) {
    const end = at + 5 + bytes.readUInt16BE(at + 3);
    if (end > bytes.length || end < at + HEAD) break;
    packages.push({ type: bytes[at + 2]!, serial: bytes.readUInt16BE(at + 5), body: bytes.subarray(at + HEAD, end) });
    at = end;
  }
  return { packages, isWhole: at === bytes.length };
}

/** A datagram: `EL`, length, sum, IMEI, packages. */
export function envelopeOf(imei: string, packages: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(imei.padStart(16, '0'), 'hex'), packages]);
  const head = Buffer.alloc(6);
  head.writeUInt16BE(ENVELOPE, 0);
  head.writeUInt16BE(2 + content.length, 2);
  head.writeUInt16BE(sumOf(content, 0), 4);
  return Buffer.concat([head, content]);
}

/** The sum is turned by a bit before each byte. */
export function sumOf(bytes: Buffer, from: number): number {
  let sum = 0;
  for (let at = from; at < bytes.length; at += 1) sum = ((((sum << 1) | (sum >>> 15)) & 0xffff) + bytes[at]!) & 0xffff;
  return sum;
}
