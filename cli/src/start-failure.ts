import type { Settings } from '@trackway/server/settings.ts';
import { storeFailure } from './store-failure.ts';

const LISTENING: Record<string, (settings: Settings) => string> = {
  EADDRINUSE: ({ host, port }) =>
    `Port ${port} of ${host} is in use by another program. Stop that one, or choose another port with --port or TRACKWAY_PORT.`,
  EADDRNOTAVAIL: ({ host }) =>
    `${host} is not an address of this machine. Choose another with --host or TRACKWAY_HOST.`,
  ENOTFOUND: ({ host }) => `There is no host of the name ${host}. Choose another with --host or TRACKWAY_HOST.`,
  EACCES: ({ port }) => `This user may not listen on port ${port}. Choose one above 1023 with --port or TRACKWAY_PORT.`,
};

/** Why the server does not start, as one sentence for its operator. */
export function startFailure(error: unknown, settings: Settings): string {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const isAboutListening = syscall === 'listen' || syscall === 'bind' || isHostOf(error, settings);
  return (isAboutListening ? LISTENING[code]?.(settings) : undefined) ?? storeFailure(error, settings);
}

/** A name that can not be looked up may be that of the database too. */
const isHostOf = (error: unknown, { host }: Settings) => (error as { hostname?: string }).hostname === host;
