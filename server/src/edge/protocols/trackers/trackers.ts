import { gps103 } from './gps103.ts';
import { h02 } from './h02.ts';
import { minifinder } from './minifinder.ts';
import { nmea } from './nmea.ts';
import { tk103 } from './tk103.ts';
import type { TrackerProtocol } from './tracker.ts';
import { watch } from './watch.ts';
import { wialon } from './wialon.ts';
import { xexun } from './xexun.ts';

/** Every protocol of trackers. The order counts for a port that recognises who speaks: the surest marks come first. */
export const trackerProtocols: readonly TrackerProtocol[] = [
  h02,
  wialon,
  watch,
  minifinder,
  gps103,
  tk103,
  xexun,
  nmea,
];
