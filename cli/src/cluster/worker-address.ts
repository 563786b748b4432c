import { addressesOf } from '@trackway/server/platform/storage/postgres/addresses.ts';
import type { WorkerAddress } from '@trackway/server/platform/storage/postgres/citus/workers.ts';
import { UsageError } from '../command.ts';

const DEFAULT_PORT = 5432;

/** A PostgreSQL server, given as `HOST` or `HOST:PORT`. */
export function workerAddress(given: string): WorkerAddress {
  const [, host, port] = /^\[?([^\s/@[\]]+?)\]?(?::(\d{1,5}))?$/.exec(given) ?? [];
  if (host === undefined) throw new UsageError(`"${given}" must have the form HOST or HOST:PORT.`);
  return { host, port: Number(port ?? DEFAULT_PORT) };
}

/** The first server of a URL. */
export function serverOf(url: string): WorkerAddress {
  const { hostname, port } = new URL(addressesOf(url)[0]!);
  return { host: hostname, port: Number(port || DEFAULT_PORT) };
}
