import { decodeQze, decodeSentence, identityLine, isChecksumWrong, sentenceOf } from './nmea/sentences.ts';
import { cut } from './text/cut.ts';
import { textOf } from './text/numbers.ts';
import type { DecodedFrame, TrackerProtocol, TrackerSession } from './tracker.ts';

/**
 * NMEA sentences of satellite receivers, over a socket. A preceding line, or a prefix of the sentence, identifies the
 * device.
 */
export const nmea: TrackerProtocol = {
  name: 'nmea',
  wellKnownPort: 5005,
  maxFrameBytes: 1024,
  recognise(start) {
    const text = start.toString('latin1', 0, 80);
    if (START.test(text)) return 'yes';
    return BEGINNING.test(text) ? 'more' : 'no';
  },
  split: (stream) => cut(stream, nmea.maxFrameBytes, lengthAt),
  /** The last line of a datagram may lack its line end. */
  splitDatagram: (datagram) => nmea.split(Buffer.concat([datagram, Buffer.from('\n')])),
  decode,
  commands: [],
  repliesNameCommand: false,
};

const SENTENCE = '\\$(?:(?:G[PNLAB]|BD)[A-Z]{3},|TRCCR,|PUBX,|PGID,|DEVID,|PSIWMDID,|PCPTI,|CONNECT,|IMEI)';
const START = new RegExp(`^(?:[\\w/-]{0,60},?${SENTENCE}|\\d{15}[\\r\\n]|IMEI[ =:,]|QZE,\\d)`);
const BEGINNING = /^(?:[\w/-]{0,60},?(?:\$[A-Z]{0,9})?|IMEI|QZE,?)$/;
const LINE = new RegExp(`^(?:[\\w/-]{0,60},?${SENTENCE}|\\d{15}$|IMEI[ =:,]|QZE,\\d)`);

const CR = 0x0d;
const LF = 0x0a;

/** A line without any of these contains no frame. */
const HOPE = /\$|IMEI|QZE|\d{15}$/;

/** A complete line. Only complete lines are checked, so that preceding noise is recognised. */
function lengthAt(stream: Buffer, at: number): number | undefined {
  const window = stream.subarray(at, at + nmea.maxFrameBytes);
  const feed = window.indexOf(LF);
  const mark = window.subarray(0, feed < 0 ? window.length : feed).indexOf(CR);
  const end = mark < 0 ? feed : mark;
  if (end <= 0) return end < 0 ? undefined : 0;
  const line = window.toString('latin1', 0, end);
  // A sentence that contains the start of another was truncated.
  const last = line.lastIndexOf('$');
  if (last > line.indexOf('$') && LINE.test(line.slice(last))) return -last;
  if (LINE.test(line)) return end + 1;
  return HOPE.test(line) ? 0 : -end;
}

function decode(frame: Buffer, session: TrackerSession): DecodedFrame {
  const line = frame.toString('latin1').trim();
  const { id, sentence } = sentenceOf(line);
  if (isChecksumWrong(sentence) && !session.acceptsWrongChecksum) return { records: [], isDamaged: true };
  const named = identityLine(line);
  if (named !== undefined) return { identities: [named], records: [] };
  const decoded = sentence.startsWith('QZE,') ? decodeQze(sentence.split(',', 20)) : decodeSentence(sentence, session);
  if (!decoded) return { records: [], problem: `unknown sentence ${textOf(sentence, 10)}` };
  return id === undefined ? decoded : { identities: [id], ...decoded };
}
