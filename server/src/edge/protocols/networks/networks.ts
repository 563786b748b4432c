import { chirpstack } from './chirpstack.ts';
import type { NetworkProtocol } from './network.ts';
import { sigfox } from './sigfox.ts';
import { tts } from './tts.ts';

/** The networks that post what devices send, each mounted at `/ingest/{name}`. */
export const networkProtocols: readonly NetworkProtocol[] = [tts, chirpstack, sigfox];
