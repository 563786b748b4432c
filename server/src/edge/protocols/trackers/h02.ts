import { decodeBinary } from './h02/binary.ts';
import { COMMANDS, encode } from './h02/commands.ts';
import { MAX_FRAME_BYTES, recognise, split, splitDatagram, splitRemaining } from './h02/cutting.ts';
import { decodeText } from './h02/sentences.ts';
import type { TrackerProtocol } from './tracker.ts';

const DOLLAR = 0x24;

/** Sinotrack ST-901 to ST-906, CJ720, LK109, H02, H06, H08: text between `*` and `#`, and binary frames after `$`. */
export const h02: TrackerProtocol = {
  name: 'h02',
  wellKnownPort: 5013,
  maxFrameBytes: MAX_FRAME_BYTES,
  recognise,
  split,
  splitDatagram,
  splitRemaining,
  decode: (frame, session) => (frame[0] === DOLLAR ? decodeBinary(frame, session) : decodeText(frame, session)),
  encode,
  commands: COMMANDS,
  repliesNameCommand: true,
};
