import type { Server } from 'node:http';
import { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';

const SWEEP_MS = 3000;

interface Seen {
  /** Bytes that the kernel has accepted so far. */
  taken: number;
  /** Time since which the kernel has accepted no bytes, although some are waiting. */
  since: number;
}

/** Closes connections whose client has read nothing of a waiting response for `mostMs`. */
export function endUnread(server: Server, mostMs: number, sweepMs = SWEEP_MS): void {
  const open = new Map<Socket, Seen>();
  // With TLS, responses wait in the secure socket.
  server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.set(socket, { taken: 0, since: 0 });
    socket.once('close', () => open.delete(socket));
  });
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const [socket, seen] of open) {
      const waiting = waitingIn(socket);
      const taken = socket.bytesWritten - waiting;
      if (waiting === 0 || taken !== seen.taken) seen.since = now;
      else if (now - seen.since > mostMs) socket.destroy();
      seen.taken = taken;
    }
  }, sweepMs);
  sweep.unref();
  server.once('close', () => clearInterval(sweep));
}

/** Bytes that the kernel has not accepted yet. Node uses the same value to decide whether a write makes progress. */
const waitingIn = (socket: Socket): number =>
  (socket as { _handle?: { writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0;
