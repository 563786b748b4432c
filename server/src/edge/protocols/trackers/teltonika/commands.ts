import { crcArc } from '../bytes.ts';
import { Cursor, isAscii, textOrHex } from '../frame/cursor.ts';
import { isOn, outputOf } from '../text/cut.ts';
import type { DecodedFrame, EncodedCommand, TrackerCommand, TrackerReading } from '../tracker.ts';

/** 12: a command and its reply; 13: text of the device; 14: as 12, with the IMEI; 15: as 13, with the IMEI. */
export const TEXT_CODEC = { codec12: 0x0c, codec13: 0x0d, codec14: 0x0e, codec15: 0x0f } as const;
const TYPE = { request: 0x05, reply: 0x06, wrongImei: 0x11 } as const;

/** Text of a device: the reply to a command, or data of its serial port. It needs no response. */
export function decodeText(codec: number, bytes: Buffer, from: number, end: number): DecodedFrame {
  const hasTime = codec === TEXT_CODEC.codec13 || codec === TEXT_CODEC.codec15;
  const cursor = new Cursor(bytes, from, end);
  const count = cursor.u8();
  const type = cursor.u8();
  const size = cursor.u32();
  const body = new Cursor(cursor.take(cursor.left - 1));
  // Some devices exclude the time from the size.
  const isSizeRight = body.left === size || (hasTime && body.left === size + 4);
  if (cursor.u8() !== count || !isSizeRight || cursor.isShort)
    return { records: [], problem: 'The lengths of the text are inconsistent.' };
  const hasImei = codec === TEXT_CODEC.codec14 || codec === TEXT_CODEC.codec15;
  const timestamp = hasTime ? body.u32() * 1000 : undefined;
  const imei = hasImei ? body.take(8).toString('hex').replace(/^0/, '') : '';
  const text = textOrHex(body.take(body.left));
  const identity = /^\d{15}$/.test(imei) ? { identities: [imei] } : {};
  if (timestamp !== undefined)
    return { ...identity, records: [{ timestamp, isValid: false, readings: [readingOf(text)] }] };
  if (type === TYPE.reply) return { ...identity, records: [], commandReply: { text } };
  if (type === TYPE.wrongImei)
    return {
      ...identity,
      records: [],
      commandReply: { text: text || 'The IMEI is of another device.', isFailure: true },
    };
  return { ...identity, records: [], problem: `Text of type ${type} is not supported.` };
}

/** A driver card reader sends `GTSL|6|1|0|<card>|1|`. */
function readingOf(text: string): TrackerReading {
  const card = text.startsWith('GTSL|') ? text.split('|')[4] : undefined;
  return card ? { type: 'driver_id', value: card } : { type: 'text', value: text };
}

const MAX_OUTPUT = 3;

export function encodeCommand(command: TrackerCommand): EncodedCommand | undefined {
  const text = 'text' in command ? command.text : textOf(command.name, command.parameters);
  return text === undefined || text === '' || !isAscii(text) ? undefined : { bytes: requestOf(payloadOf(text)) };
}

function textOf(
  name: Exclude<TrackerCommand, { text: string }>['name'],
  parameters: Readonly<Record<string, string | number | boolean>>,
): string | undefined {
  switch (name) {
    case 'position':
      return 'getgps';
    case 'reboot':
      return 'cpureset';
    case 'engineStop':
      return outputText(1, true);
    case 'engineResume':
      return outputText(1, false);
    case 'output':
      return outputText(outputOf(parameters, MAX_OUTPUT), isOn(parameters), parameters.seconds);
    default:
      return undefined;
  }
}

/** A question mark leaves an output unchanged. */
function outputText(output: number | undefined, isSet: boolean, seconds?: unknown): string | undefined {
  if (output === undefined) return undefined;
  const states = ['?', '?', ...(output > 2 ? ['?'] : [])];
  states[output - 1] = isSet ? '1' : '0';
  const times = states.map((state) => (state === '?' ? '?' : String(seconds)));
  return seconds === undefined
    ? `setdigout ${states.join('')}`
    : /^[1-9]\d{0,6}$/.test(String(seconds))
      ? `setdigout ${states.join('')} ${times.join(' ')}`
      : undefined;
}

/** No command consists of hexadecimal digits only: they are bytes for the serial port. */
const payloadOf = (text: string) => Buffer.from(text, /^(?:[0-9A-Fa-f]{2}){2,}$/.test(text) ? 'hex' : 'latin1');

/** Codec 12. */
function requestOf(payload: Buffer): Buffer {
  const frame = Buffer.alloc(8 + 7 + payload.length + 1 + 4);
  frame.writeUInt32BE(payload.length + 8, 4);
  frame.set([TEXT_CODEC.codec12, 1, TYPE.request], 8);
  frame.writeUInt32BE(payload.length, 11);
  frame.set(payload, 15);
  frame[frame.length - 5] = 1;
  frame.writeUInt32BE(crcArc(frame, 8, frame.length - 4), frame.length - 4);
  return frame;
}
