import { gt06 } from '@trackway/simulator/trackers/gt06.ts';
import { h02 } from '@trackway/simulator/trackers/h02.ts';
import { jt808 } from '@trackway/simulator/trackers/jt808.ts';
import { queclink } from '@trackway/simulator/trackers/queclink.ts';
import { teltonika } from '@trackway/simulator/trackers/teltonika.ts';
import { crcKermit, crcModbus } from '../bytes.ts';
import { loginOnTheWire } from './on-the-wire.ts';

/** Frames of a device: its login, if reports do not contain the identity, and a position. */
export interface GoodFrames {
  readonly login: Buffer;
  readonly position: Buffer;
}

const POINT = { timestamp: Date.parse('2021-07-13T10:40:05Z'), location: { lat: 52.5, lng: 13.25 }, speed: 36 };
const simulated = (voice: typeof gt06 | typeof h02, imei: string) => voice.report(imei, [POINT] as never, 7);
const RMC = 'GPRMC,104005.000,A,5230.0000,N,01315.0000,E,10.00,90.00,130721,,,A';

function ruptela(imei: string): Buffer {
  const record = Buffer.alloc(27);
  record.writeUInt32BE(POINT.timestamp / 1000, 0);
  record.writeInt32BE(132_500_000, 6);
  record.writeInt32BE(525_000_000, 10);
  record.writeUInt16BE(345, 14);
  record.writeUInt16BE(9000, 16);
  record.writeUInt8(7, 18);
  record.writeUInt16BE(36, 19);
  record.writeUInt8(12, 21);
  const name = Buffer.alloc(8);
  name.writeBigUInt64BE(BigInt(imei));
  const body = Buffer.concat([name, Buffer.from([1, 0, 1]), record]);
  const frame = Buffer.alloc(body.length + 4);
  frame.writeUInt16BE(body.length);
  body.copy(frame, 2);
  frame.writeUInt16BE(crcKermit(body, 0, body.length), body.length + 2);
  return frame;
}

function galileosky(): Buffer {
  const tags = Buffer.from('20000000003000000000000000000033', 'hex');
  const body = Buffer.concat([Buffer.from([1, tags.length + 4, 0]), tags, Buffer.from([0x68, 1, 0x84, 3])]);
  body.writeUInt32LE(POINT.timestamp / 1000, 4);
  body.writeUInt8(0x07, 9);
  body.writeInt32LE(52_500_000, 10);
  body.writeInt32LE(13_250_000, 14);
  const crc = crcModbus(body, 0, body.length);
  return Buffer.concat([body, Buffer.from([crc & 0xff, crc >> 8])]);
}

function eelink(): Buffer {
  const body = Buffer.from('00000000010000000000000000002201a4010e0707ef', 'hex');
  body.writeUInt32BE(POINT.timestamp / 1000, 0);
  body.writeInt32BE(52.5 * 1_800_000, 5);
  body.writeInt32BE(13.25 * 1_800_000, 9);
  return Buffer.concat([Buffer.from([0x67, 0x67, 0x12, 0, body.length + 2, 0, 0x21]), body]);
}

const xorText = (text: string) =>
  [...Buffer.from(text)]
    .reduce((sum, byte) => sum ^ byte, 0)
    .toString(16)
    .toUpperCase()
    .padStart(2, '0');

function meitrack(imei: string): string {
  const data = `,${imei},AAA,35,52.500000,13.250000,210713104005,A,7,12,36,90,1.5,34,1000,50,262|1|10|20,0000,0|0|0|0|0,00000001,,3,,,0,0*`;
  const head = `$$A${data.length + 4}${data}`;
  const sum = [...Buffer.from(head)].reduce((all, byte) => (all + byte) & 0xff, 0);
  return `${head}${sum.toString(16).toUpperCase().padStart(2, '0')}\r\n`;
}

function watch(imei: string): string {
  const content = 'UD,130721,104005,A,52.500000,N,13.250000,E,36.00,90.0,34.5,7,60,88,1000,50,00000000,0,0';
  return `[3G*${imei.slice(-10)}*${content.length.toString(16).padStart(4, '0')}*${content}]`;
}

function gt30(imei: string): string {
  const said = `${imei.slice(-14)}9955104005.000,A,5230.0000,N,01315.0000,E,19.44,90.00,130721,,*13|1.3|34`;
  const body = `$$${(said.length + 12).toString(16).toUpperCase().padStart(4, '0')}${said}`;
  let crc = 0xffff;
  for (const byte of Buffer.from(body)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return `${body}${crc.toString(16).toUpperCase().padStart(4, '0')}\r\n`;
}

function xexun2(imei: string): Buffer {
  const content = Buffer.from('01001301000000001400640201070000000000000000', 'hex');
  content.writeUInt32BE(POINT.timestamp / 1000, 4);
  content.writeFloatBE(1315, 14);
  content.writeFloatBE(5230, 18);
  const sum = content.reduce((all, byte) => all + byte, 0);
  const head = Buffer.from(`faaf00140001${imei}0`, 'hex');
  const tail = Buffer.alloc(4);
  tail.writeUInt16BE(content.length, 0);
  tail.writeUInt16BE(~sum & 0xffff, 2);
  return Buffer.concat([head, tail, content, Buffer.from('faaf', 'hex')]);
}

/** One of each protocol: `identify.test.ts` asks for it. */
const POSITIONS: Readonly<Record<string, (imei: string) => Buffer | string>> = {
  teltonika: (imei) => simulated(teltonika, imei),
  gt06: (imei) => simulated(gt06, imei),
  jt808: (imei) => simulated(jt808, imei.slice(-12)),
  queclink: (imei) => simulated(queclink, imei),
  h02: (imei) => simulated(h02, imei),
  wialon: () => '#SD#130721;104005;5230.0000;N;01315.0000;E;36;90;34;7\r\n',
  gps103: (imei) => `imei:${imei},tracker,210713104005,,F,104005.000,A,5230.0000,N,01315.0000,E,19.44,90;`,
  tk103: (imei) => `(${imei},DW30,130721,A,5230.0000N,01315.0000E,36.0,104005,90.00,34.5,7)`,
  xexun: (imei) => `${RMC}*5D,F,,imei:${imei},05,34.5,F:4.12V,0,139,2689,262,01,2725,0576\r\n`,
  watch,
  meitrack,
  suntech: (imei) =>
    `ST300STT;${imei.slice(-9)};40;545;20210713;10:40:05;2b178f;+52.500000;+013.250000;036.000;090.00;7;1;0;12.35;000000;2;0144;000001;4.1;1\r`,
  ruptela,
  galileosky,
  eelink,
  nmea: () => `$${RMC}*${xorText(RMC)}\r\n`,
  gt02: (imei) => Buffer.from(`68682500000${imei}00011015070d0a280505a1f4a0016bec1024005a000000000000070d0a`, 'hex'),
  gt30,
  xexun2,
  minifinder: () => '!D,13/07/21,10:40:5,52.500000,13.250000,36.0,90.5,1,34.5,88,7,12,1.5;',
};

export function goodFrames(protocol: string, imei: string): GoodFrames {
  const position = POSITIONS[protocol];
  if (position === undefined) throw new Error(`POSITIONS in good-frames.ts has no frame of ${protocol}`);
  return { login: loginOnTheWire(protocol, imei), position: Buffer.from(position(imei) as string, 'latin1') };
}
