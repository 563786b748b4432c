import type { Settings } from '@trackway/server/app/settings.ts';
import { storeFailure } from './store-failure.ts';

const LISTENING: Record<string, (settings: Settings) => string> = {
  EADDRINUSE: ({ host, port }) =>
    `Port ${port} of ${host} is in use by another program. Stop that program, or choose another port with --port or TRACKWAY_PORT.`,
  EADDRNOTAVAIL: ({ host }) =>
    `${host} is not an address of this machine. Choose another host with --host or TRACKWAY_HOST.`,
  ENOTFOUND: ({ host }) => `Host ${host} was not found. Choose another host with --host or TRACKWAY_HOST.`,
  EACCES: ({ port }) =>
    `This user is not allowed to listen on port ${port}. Choose a port above 1023 with --port or TRACKWAY_PORT.`,
};

/** Why the server does not start, as a message for the operator. */
export function startFailure(error: unknown, settings: Settings): string {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const isAboutListening = syscall === 'listen' || syscall === 'bind' || isHostOf(error, settings);
  return (isAboutListening ? LISTENING[code]?.(settings) : undefined) ?? storeFailure(error, settings);
}

/** Whether a failed lookup is that of our host. It could also be that of the database. */
const isHostOf = (error: unknown, { host }: Settings) => (error as { hostname?: string }).hostname === host;
