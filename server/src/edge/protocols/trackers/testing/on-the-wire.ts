import { crcModbus } from '../bytes.ts';
import { frameWith as gt06Frame } from '../gt06/frame.ts';
import { bytesOf, type PublicFrame } from './public-frames.ts';

/** End marks of text frames. Published samples omit them, because splitters remove them. */
const ENDS: Readonly<Record<string, { readonly mark: string; readonly isThere: RegExp }>> = {
  gps103: { mark: ';', isThere: /[;*]$/ },
  queclink: { mark: '$', isThere: /\$$/ },
  h02: { mark: '#', isThere: /#\s*$|^\$/ },
  wialon: { mark: '\r\n', isThere: /\r\n$/ },
  // biome-ignore lint/suspicious/noControlCharactersInRegex: binary frames begin with these.
  suntech: { mark: '\r', isThere: /\r$|^[\x02\x81\x82]/ },
  nmea: { mark: '\r\n', isThere: /\r\n$/ },
  xexun: { mark: '\r\n', isThere: /\r\n$/ },
  minifinder: { mark: ';', isThere: /;$/ },
  meitrack: { mark: '\r\n', isThere: /\r\n$/ },
};

/** A published frame as a device sends it. */
export function onTheWire(frame: PublicFrame): Buffer {
  const bytes = bytesOf(frame);
  const end = ENDS[frame.protocol];
  if (end !== undefined)
    return end.isThere.test(bytes.toString('latin1')) ? bytes : Buffer.concat([bytes, Buffer.from(end.mark)]);
  if (frame.protocol === 'watch') return escapedWatch(bytes);
  return frame.protocol === 'jt808' && frame.escaped === false ? escapedJt808(bytes) : bytes;
}

function escapedJt808(bytes: Buffer): Buffer {
  const mark = bytes[0]!;
  const pairs: Record<number, readonly number[]> =
    mark === 0xe7
      ? { 230: [0xe6, 1], 231: [0xe6, 2], 62: [0x3e, 1], 61: [0x3e, 2] }
      : { 125: [0x7d, 1], 126: [0x7d, 2] };
  if (mark !== 0x7e && mark !== 0xe7) return bytes;
  const inner = [...bytes.subarray(1, bytes.length - 1)].flatMap((byte) => pairs[byte] ?? [byte]);
  return Buffer.from([mark, ...inner, mark]);
}

/** Marks of the envelope are not escaped; marks in binary content, after the fourth comma or asterisk, are. */
function escapedWatch(bytes: Buffer): Buffer {
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
  if (isText) return bytes;
  const [head = ''] = /^\[[^*]*\*[^*]*\*(?:[0-9A-Fa-f]{4}\*)?[0-9A-Fa-f]{4}\*\w+,/.exec(bytes.toString('latin1')) ?? [];
  const pairs: Record<number, number> = { 125: 1, 91: 2, 93: 3, 44: 4, 42: 5 };
  const inner = [...bytes.subarray(head.length, bytes.length - 1)].flatMap((byte) =>
    pairs[byte] === undefined ? [byte] : [0x7d, pairs[byte]],
  );
  return Buffer.concat([bytes.subarray(0, head.length), Buffer.from(inner), Buffer.from(']')]);
}

/** The login of a device whose frames do not contain its identity. */
export function loginOnTheWire(protocol: string, identity: string): Buffer {
  const imei = identity.padStart(15, '0').slice(-15);
  switch (protocol) {
    case 'teltonika':
      return Buffer.from(`\0\x0f${imei}`, 'latin1');
    case 'gt06':
      return gt06Frame(0x01, 1, Buffer.from(imei.padStart(16, '0'), 'hex'));
    case 'eelink':
      return Buffer.from(`676701000c0001${imei.padStart(16, '0')}0100`, 'hex');
    case 'galileosky': {
      const head = Buffer.concat([Buffer.from([1, 16, 0, 3]), Buffer.from(imei)]);
      const crc = crcModbus(head, 0, head.length);
      return Buffer.concat([head, Buffer.from([crc & 0xff, crc >> 8])]);
    }
    case 'wialon':
      return Buffer.from(`#L#${identity};NA\r\n`);
    case 'minifinder':
      return Buffer.from(`!1,${imei};`);
    case 'nmea':
      return Buffer.from(`$IMEI=${imei}\r\n`);
    case 'h02':
      return Buffer.from(`*HQ,${identity},XT#`);
    default:
      return Buffer.alloc(0);
  }
}
