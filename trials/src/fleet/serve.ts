import { type ServerProcess, startServer } from '../../../e2e/src/harness/server-process.ts';

/** A server whose webhooks may reach this machine, where the receiver is. */
export const serve = (
  storeKind: 'sqlite' | 'postgres',
  place: string,
  settings: Record<string, string> = {},
): Promise<ServerProcess> => startServer(storeKind, place, { TRACKWAY_ALLOW_TARGETS: '127.0.0.0/8', ...settings });
