import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const SWEEP_MS = 3000;

interface Seen {
  /** Bytes that the system has taken so far. */
  taken: number;
  /** Since when it has taken no more, though there are more. */
  since: number;
}

/** Ends connections whose client has read nothing of a waiting answer for so long. */
export function endUnread(server: Server, mostMs: number, sweepMs = SWEEP_MS): void {
  const open = new Map<Socket, Seen>();
  server.on('connection', (socket: Socket) => {
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

/** What the system has not taken yet. Node itself judges by this whether a write makes progress. */
const waitingIn = (socket: Socket): number =>
  (socket as { _handle?: { writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0;
