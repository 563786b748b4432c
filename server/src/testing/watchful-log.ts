import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { Log } from '../platform/log.ts';

const ignore = () => {};

/** A log for tests without expected errors: a logged error fails the test. */
export const watchfulLog: Log = {
  error: (...logged: unknown[]) => assert.fail(inspect(logged)),
  warn: ignore,
  info: ignore,
  debug: ignore,
};
