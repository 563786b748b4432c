import { u8, u32 } from '../bytes.ts';
import { putAt, type RecordDraft, read } from '../record/draft.ts';
import type { CommandReply, TrackerSession } from '../tracker.ts';
import { epochOfWallTime } from '../wall-time.ts';
import type { Gt06Message } from './message.ts';

/** 15: length 1, number of the command 4, ASCII, (language 2). */
export function replyOf15({ content }: Gt06Message): CommandReply | undefined {
  const size = u8(content, 0) ?? 0;
  if (size < 4) return undefined;
  return replyOf(content, 1, content.toString('latin1', 5, 1 + size));
}

/** 21: number of the command 4, encoding 1 (1: ASCII, 2: UTF-16), text. */
export function replyOf21({ content }: Gt06Message): CommandReply | undefined {
  if (content.length < 5) return undefined;
  if (content[4] !== 2) return replyOf(content, 0, content.toString('latin1', 5));
  const text = Buffer.from(content.subarray(5, content.length - ((content.length - 5) % 2)));
  return replyOf(content, 0, text.swap16().toString('utf16le'));
}

/** Clones give 0 as the number of whatever they answer. */
function replyOf(content: Buffer, at: number, text: string): CommandReply {
  const number = u32(content, at);
  const isFailure = /\b(?:fail(?:ed|ure)?|error|invalid)\b/i.test(text);
  return {
    text: text.replace(/\0+$/, ''),
    ...(number ? { correlation: String(number) } : {}),
    ...(isFailure ? { isFailure } : {}),
  };
}

const POSITION =
  /Lat:([NS])([\d.]+),\s*Lon:([EW])([\d.]+),\s*Course:([\d.]+),\s*Speed:([\d.]+).*?DateTime:\s*(\d{4})-(\d\d)-(\d\d) +(\d\d):(\d\d):(\d\d)/;

/** What a text says of the device: its card's number, or where it is. */
export function readText(draft: RecordDraft, text: string, { timeZone }: TrackerSession): void {
  read(draft, 'iccid', /<ICCID:([0-9A-F]{19,20})>/i.exec(text)?.[1]);
  const found = POSITION.exec(text);
  if (!found) return;
  const [, ns, lat, ew, lng, course, speed, ...time] = found;
  const [year, month, day, hour, minute, second] = time.map(Number) as [number, number, number, number, number, number];
  draft.courseDeg = Number(course);
  draft.speedKmh = Number(speed);
  draft.timestamp = epochOfWallTime({ year, month, day, hour, minute, second }, timeZone);
  putAt(draft, Number(lat) * (ns === 'S' ? -1 : 1), Number(lng) * (ew === 'W' ? -1 : 1), true);
}
