/** `$$`, a flag, the length from the comma through the end of the line, IMEI, command, data, `*`, a checksum. */
export interface MeitrackEnvelope {
  /** A letter that the reply to a command repeats. */
  readonly flag: string;
  readonly imei: string;
  readonly command: string;
  /** The bytes between the comma after the command and the checksum. */
  readonly data: Buffer;
  readonly isSumRight: boolean;
}

const HEAD = /^\$\$(.)(\d{1,5}),([^,]*),([^,*]*)/s;
const TAIL = /\*([0-9a-f]{2})(?:\r\n)?$/i;

export function envelopeOf(frame: Buffer): MeitrackEnvelope | undefined {
  const head = HEAD.exec(frame.toString('latin1', 0, 64));
  const tail = TAIL.exec(frame.toString('latin1', Math.max(0, frame.length - 5)));
  if (!head) return undefined;
  const [matched, flag, , imei, command] = head;
  const end = tail ? frame.length - tail[0].length : frame.length;
  const from = Math.min(matched.length + 1, end);
  return {
    flag: flag!,
    imei: imei!,
    command: command!,
    data: frame.subarray(from, Math.max(from, end)),
    isSumRight: tail !== null && Number.parseInt(tail[1]!, 16) === sumOf(frame, end + 1),
  };
}

/** A frame to the device: the same format, with `@@`. */
export function envelopeTo(imei: string, flag: string, content: string): Buffer {
  const length = imei.length + content.length + 7;
  const text = `@@${flag}${String(length).padStart(2, '0')},${imei},${content}*`;
  const sum = sumOf(Buffer.from(text, 'latin1'), text.length);
  return Buffer.from(`${text}${sum.toString(16).toUpperCase().padStart(2, '0')}\r\n`, 'latin1');
}

function sumOf(bytes: Buffer, end: number): number {
  let sum = 0;
  for (let at = 0; at < end; at += 1) sum = (sum + bytes[at]!) & 0xff;
  return sum;
}
