import { setFlagsFromString } from 'node:v8';

/**
 * Lets each thread collect its young objects by itself. With helpers it would pause a little shorter, but what lives so
 * long is little here, and waking the helpers costs more of the processor than they take over. Holds for all threads.
 */
export const collectAlone = (): void => setFlagsFromString('--no-parallel-scavenge');
