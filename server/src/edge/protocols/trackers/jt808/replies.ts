import { u16 } from '../bytes.ts';
import type { CommandReply } from '../tracker.ts';
import type { Jt808Frame } from './frame.ts';
import { textOf } from './gbk.ts';

const RESULTS = ['OK', 'Failed', 'Wrong message', 'Not supported', 'Alarm confirmed'];

/** What a device says to a command, if this is a reply. Most begin with the serial of the command. */
export function commandReplyOf({ type, body }: Jt808Frame): CommandReply | undefined {
  const serial = u16(body, 0);
  switch (type) {
    case 0x0001:
      return body.length < 5 ? undefined : named(serial, RESULTS[body[4]!] ?? `Result ${body[4]}`, body[4] !== 0);
    case 0x0104:
      return named(serial, parametersOf(body));
    case 0x0201:
    case 0x0500:
      return named(serial, 'OK');
    case 0x0302:
      return named(serial, `Jt808Answer ${body[2] ?? ''}`);
    case 0x0701:
      return { text: textOf(body.subarray(4)) };
    case 0x1300:
      return named(serial, utf16Of(body.subarray(2)));
    case 0x6006:
      return { text: textOf(body.subarray(1)) };
    default:
      return undefined;
  }
}

/** Some makers give 0 as the serial of whatever they answer. */
const named = (serial: number | undefined, text: string, isFailure = false): CommandReply => ({
  text,
  ...(serial ? { correlation: String(serial) } : {}),
  ...(isFailure ? { isFailure } : {}),
});

function utf16Of(bytes: Buffer): string {
  const even = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  return even.swap16().toString('utf16le').trim();
}

/** Serial 2, count 1, then (identifier 4, length 1, value). */
function parametersOf(body: Buffer): string {
  const pairs: string[] = [];
  for (let at = 3; at + 5 <= body.length; ) {
    const end = at + 5 + body[at + 4]!;
    if (end > body.length) break;
    const value = body.subarray(at + 5, end);
    const text = value.toString('latin1').replace(/\0+$/, '');
    const isText = text.length > 0 && value.length > 4 && /^[\x20-\x7e]+$/.test(text);
    const shown = isText || value.length > 4 || value.length === 0 ? text : value.readUIntBE(0, value.length);
    pairs.push(`${body.readUInt32BE(at).toString(16).padStart(4, '0')}=${shown}`);
    at = end;
  }
  return pairs.join(' ');
}
