import { isChecksumWrong } from './nmea/checksum.ts';
import { identityLine, sentenceOf } from './nmea/identity.ts';
import { decodeQze, decodeSentence } from './nmea/sentences.ts';
import { cut } from './text/cut.ts';
import { textOf } from './text/readings.ts';
import type { DecodedFrame, TrackerProtocol, TrackerSession } from './tracker.ts';

/** What receivers of satellites say, over a socket. Who speaks is told by a line before, or before the sentence. */
export const nmea: TrackerProtocol = {
  name: 'nmea',
  maxFrameBytes: 1024,
  recognise(start) {
    const text = start.toString('latin1', 0, 80);
    if (START.test(text)) return 'yes';
    return BEGINNING.test(text) ? 'more' : 'no';
  },
  split: (stream) => cut(stream, nmea.maxFrameBytes, lengthAt),
  /** The last line of a datagram need not end. */
  splitDatagram: (datagram) => nmea.split(Buffer.concat([datagram, Buffer.from('\n')])),
  decode,
  commands: [],
  repliesNameCommand: false,
};

const SENTENCE = '\\$(?:(?:G[PNLAB]|BD)[A-Z]{3},|TRCCR,|PGID,|DEVID,|PSIWMDID,|PCPTI,|CONNECT,|IMEI)';
const START = new RegExp(`^(?:[\\w/-]{0,60},?${SENTENCE}|\\d{15}[\\r\\n]|IMEI[ =:,]|QZE,\\d)`);
const BEGINNING = /^(?:[\w/-]{0,60},?(?:\$[A-Z]{0,9})?|IMEI|QZE,?)$/;
const LINE = new RegExp(`^(?:[\\w/-]{0,60},?${SENTENCE}|\\d{15}$|IMEI[ =:,]|QZE,\\d)`);

const CR = 0x0d;
const LF = 0x0a;

/** Without any of these, a line holds no frame. */
const HOPE = /\$|IMEI|QZE|\d{15}$/;

/** A line of its own. Only whole lines are judged, so that noise before one is found out. */
function lengthAt(stream: Buffer, at: number): number | undefined {
  const window = stream.subarray(at, at + nmea.maxFrameBytes);
  const feed = window.indexOf(LF);
  const mark = window.subarray(0, feed < 0 ? window.length : feed).indexOf(CR);
  const end = mark < 0 ? feed : mark;
  if (end <= 0) return end < 0 ? undefined : 0;
  const line = window.toString('latin1', 0, end);
  // A sentence in which another begins was cut off.
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
