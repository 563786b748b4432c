import { fstatSync } from 'node:fs';
import type { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded (`node --import`) into processes of a test run: the process ends when its standard input does. That is a pipe
 * from its parent, through which nothing is sent, so it ends as well when the parent was killed.
 */

if (isMainThread && isPipe(0)) {
  const end = () => process.exit(1);
  const pipe = process.stdin as unknown as Socket;
  pipe.on('end', end).on('error', end).resume();
  pipe.unref();
}

/** A terminal or a file is nobody's pipe. */
function isPipe(descriptor: number): boolean {
  try {
    const input = fstatSync(descriptor);
    return input.isFIFO() || input.isSocket();
  } catch {
    return false;
  }
}
