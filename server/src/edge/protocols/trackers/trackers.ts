import { eelink } from './eelink.ts';
import { galileosky } from './galileosky.ts';
import { gps103 } from './gps103.ts';
import { gt02 } from './gt02.ts';
import { gt06 } from './gt06/gt06.ts';
import { gt30 } from './gt30.ts';
import { h02 } from './h02.ts';
import { jt808 } from './jt808/jt808.ts';
import { meitrack } from './meitrack.ts';
import { minifinder } from './minifinder.ts';
import { nmea } from './nmea.ts';
import { queclink } from './queclink/queclink.ts';
import { ruptela } from './ruptela.ts';
import { suntech } from './suntech.ts';
import { teltonika } from './teltonika.ts';
import { tk103 } from './tk103.ts';
import type { TrackerProtocol } from './tracker.ts';
import { watch } from './watch.ts';
import { wialon } from './wialon.ts';
import { xexun } from './xexun.ts';
import { xexun2 } from './xexun2.ts';

/**
 * All tracker protocols. The order matters for ports that recognise the protocol: the most specific formats come first.
 */
export const trackerProtocols: readonly TrackerProtocol[] = [
  gt06,
  gt02,
  xexun2,
  jt808,
  queclink,
  watch,
  wialon,
  gt30,
  meitrack,
  minifinder,
  eelink,
  suntech,
  teltonika,
  h02,
  gps103,
  tk103,
  xexun,
  nmea,
  ruptela,
  galileosky,
];
