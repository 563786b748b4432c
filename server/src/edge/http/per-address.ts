import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressKey } from '../../platform/address-key.ts';
import type { Trust } from './trust-proxy.ts';

/**
 * Limits the simultaneous connections of an address; further ones are closed at once. Trusted proxies are exempt
 * because they forward for many clients.
 */
export function limitConnections(server: Server, most: number, trust: Trust | undefined): void {
  if (most === 0) return;
  const counts = new Map<string, number>();
  server.prependListener('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || trust?.(remoteAddress, 0)) return;
    const key = addressKey(remoteAddress);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    socket.once('close', () => {
      const left = counts.get(key)! - 1;
      if (left === 0) counts.delete(key);
      else counts.set(key, left);
    });
    if (count > most) socket.destroy();
  });
}
