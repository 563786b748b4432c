import { eelink } from './eelink.ts';
import { galileosky } from './galileosky.ts';
import { meitrack } from './meitrack.ts';
import { ruptela } from './ruptela.ts';
import { suntech } from './suntech.ts';
import { teltonika } from './teltonika.ts';
import type { TrackerProtocol } from './tracker.ts';

/** Every protocol of trackers. The order counts for a port that recognises who speaks: the surest marks come first. */
export const trackerProtocols: readonly TrackerProtocol[] = [teltonika, meitrack, suntech, eelink, galileosky, ruptela];
