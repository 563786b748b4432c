import { gt06 } from './gt06/gt06.ts';
import { jt808 } from './jt808/jt808.ts';
import type { TrackerProtocol } from './tracker.ts';

/** Every protocol of trackers. The order counts for a port that recognises who speaks: the surest marks come first. */
export const trackerProtocols: readonly TrackerProtocol[] = [gt06, jt808];
