import type { Cut } from '../frame/cut.ts';
import { ZIP } from './binary.ts';
import { serialEnd } from './serial-data.ts';

export const MAX_FRAME = 4096;
const MAX_BINARY = 1024;

/** The format of a first field, complete or partial. */
const HEAD = /^(?:S[TA]\d{3}[A-Z]{0,3}|[A-Z]{3});/;
const HEAD_BEGINS = /^(?:S(?:[TA](?:\d{0,3}|\d{3}[A-Z]{0,3}))?|[A-Z]{0,3})$/;
/** A report that starts inside another, which means that the outer one was truncated. */
const NEXT = /S[TA]\d{3}(?:[A-Z]{3})?;|(?:STT|ALT|EMG|EVT|ALV|BLE|BSA|RES|UEX);\d{10};/;

export function cutAt(stream: Buffer, at: number): Cut {
  const first = stream[at]!;
  // Some devices end a line with both characters.
  if (first === 0x0a || first === 0x0d) return 'between';
  if (first === ZIP.head || first >= 0x80) return cutBinary(stream, at);
  const head = stream.toString('latin1', at, at + 10);
  const begins = HEAD.exec(head);
  if (!begins) return HEAD_BEGINS.test(head) ? 'more' : 'skip';
  const line = stream.subarray(at, at + MAX_FRAME);
  const from = begins[0].endsWith('UEX;') ? serialDataEnd(line) : 0;
  const end = from === 'more' ? -1 : line.indexOf(0x0d, from);
  if (end >= 0) return from === 0 && NEXT.test(line.toString('latin1', 1, end)) ? 'skip' : end + 1;
  return line.length < MAX_FRAME ? 'more' : 'skip';
}

function cutBinary(stream: Buffer, at: number): Cut {
  if (at + 4 > stream.length) {
    const isBegin = stream[at] === ZIP.head || stream[at + 1] === undefined || stream[at + 1] === 0;
    return isBegin ? 'more' : 'skip';
  }
  const length = stream.readUInt16BE(at + 1);
  if (length > MAX_BINARY) return 'skip';
  if (stream[at] !== ZIP.head) {
    const isHead = stream[at + 1] === 0 && (stream[at] === 0x81 || stream[at] === 0x82);
    return isHead && !containsNext(stream.subarray(at + 3), length) ? length + 3 : 'skip';
  }
  const last = stream[at + length + 3];
  return last === undefined || last === ZIP.end ? length + 4 : 'skip';
}

const MAX_NEXT = 15;

/** Whether a report in text starts within these bytes of a binary one, which has no checksum. */
function containsNext(content: Buffer, length: number): boolean {
  const next = NEXT.exec(content.toString('latin1', 0, length + MAX_NEXT));
  return next !== null && next.index < length;
}

/** The fields up to the ports, which are six or more digits 0 and 1. The length of the data follows. */
const PORTS = /^[A-Z0-9]+;(?:[^;\r]*;){8,20}?[01]{6,8};(?:[01]{6,8};)?(?=\d{1,4};)/;

/** The ports are within this many bytes. */
const MAX_HEAD = 256;

/** Data of the serial port may contain line breaks, so it is skipped by its length. */
function serialDataEnd(line: Buffer): number | 'more' {
  const head = line.toString('latin1', 0, MAX_HEAD);
  const ports = PORTS.exec(head);
  if (!ports) return head.includes('\r') || head.length === MAX_HEAD ? 0 : 'more';
  const end = ports[0].length + (serialEnd(head.slice(ports[0].length)) ?? 0);
  return end <= line.length ? end : 'more';
}
