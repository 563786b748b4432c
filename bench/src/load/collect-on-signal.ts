import { isMainThread } from 'node:worker_threads';

/** Loaded before a server: it collects garbage at a signal, so that what it really keeps can be measured. */
if (isMainThread) process.on('SIGUSR2', () => globalThis.gc?.());
