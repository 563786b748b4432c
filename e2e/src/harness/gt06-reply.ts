import { x25 } from '@trackway/simulator/trackers/checksums.ts';

/** What a GT06 says to the command of this number. */
export function replyTo(number: number, text: string): Buffer {
  const content = Buffer.alloc(5 + text.length);
  content.writeUInt32BE(number);
  content[4] = 1;
  content.write(text, 5, 'latin1');
  const checked = Buffer.concat([Buffer.from([0, content.length + 5, 0x21]), content, Buffer.from([0, 7])]);
  const sum = x25(checked);
  return Buffer.concat([Buffer.from([0x79, 0x79]), checked, Buffer.from([sum >> 8, sum & 0xff, 0x0d, 0x0a])]);
}
