import { osmand } from './osmand.ts';
import { overland } from './overland.ts';
import { owntracks } from './owntracks.ts';
import type { PhoneProtocol } from './phone.ts';

/** All supported phone protocols, each mounted at `/ingest/{name}`. */
export const phoneProtocols: readonly PhoneProtocol[] = [osmand, owntracks, overland];
