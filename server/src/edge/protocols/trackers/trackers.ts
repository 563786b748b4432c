import { gps103 } from './gps103.ts';
import { gt06 } from './gt06/gt06.ts';
import { h02 } from './h02.ts';
import { meitrack } from './meitrack.ts';
import { teltonika } from './teltonika.ts';
import type { TrackerProtocol } from './tracker.ts';
import { wialon } from './wialon.ts';

/** Every protocol of trackers. The order counts for a port that recognises who speaks: the surest marks come first. */
export const trackerProtocols: readonly TrackerProtocol[] = [gt06, wialon, meitrack, teltonika, h02, gps103];
