/** Loaded by `--import` into each thread of a server: its memory is then what it holds, not what it has not collected yet. */
const EVERY_MS = 5000;

// A thread that starts while another collects all its garbage has no such function, see `collectAll`.
setInterval(() => globalThis.gc?.(), EVERY_MS).unref();
