/** Loaded by `--import` into each thread of a server: its memory is then what it holds, not what it has not collected yet. */
const EVERY_MS = 5000;

setInterval(() => globalThis.gc!(), EVERY_MS).unref();
