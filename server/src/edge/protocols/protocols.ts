import { osmand } from './osmand.ts';
import { overland } from './overland.ts';
import { owntracks } from './owntracks.ts';
import type { PhoneProtocol } from './phone.ts';

/** What phones may speak, each at `/ingest/{name}`. */
export const phoneProtocols: readonly PhoneProtocol[] = [osmand, owntracks, overland];
