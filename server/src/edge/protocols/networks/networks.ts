import { chirpstack } from './chirpstack.ts';
import type { NetworkProtocol } from './network.ts';
import { sigfox } from './sigfox.ts';
import { tts } from './tts.ts';

/** All supported networks, each mounted at `/ingest/{name}`. */
export const networkProtocols: readonly NetworkProtocol[] = [tts, chirpstack, sigfox];
