import { existsSync } from 'node:fs';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import type { Handlers } from '../../calls.ts';

export interface ReachParts {
  readonly publicUrl: string;
  /** The host that the server listens on, as it is set. */
  readonly host: string;
  /** Where it listens, once it does. */
  address(): string;
  /** The networks of this machine; absent for those of the system. */
  readonly networks?: Networks;
}

type Networks = NodeJS.Dict<NetworkInterfaceInfo[]>;

const LOOPBACK = /^(localhost|127\.|::1$|\[::1\])/i;
const ANYWHERE = /^(0\.0\.0\.0|::|\[::\])$/;
/** Networks between programs of this machine, where no phone is. */
const INNER = /^(docker|br-|veth|virbr|vmnet|vboxnet|lxc|lxd|cni|flannel|cali|podman)/;
const LINK_LOCAL = /^169\.254\./;
const MOST = 8;

/** The addresses by which devices can reach this server, the best first. */
export function reachOf({ publicUrl, host, address, networks }: ReachParts) {
  const known = publicUrl.replace(/\/+$/, '');
  const isLocalOnly = LOOPBACK.test(host);
  if (known !== '') return { addresses: [{ url: known, kind: 'public' as const }], isLocalOnly };
  if (isLocalOnly || address() === '') return { addresses: [], isLocalOnly };
  const { port } = new URL(address());
  const hosts = ANYWHERE.test(host) ? addressesIn(networks ?? systemNetworks()) : [host];
  const urlOf = (one: string) => `http://${one.includes(':') ? `[${one}]` : one}:${port || '80'}`;
  return { addresses: hosts.slice(0, MOST).map((one) => ({ url: urlOf(one), kind: 'network' as const })), isLocalOnly };
}

/** A container knows only networks that end at its machine. */
const systemNetworks = (): Networks => (existsSync('/.dockerenv') ? {} : networkInterfaces());

/** IPv4 alone: the addresses of a home network change less, and every tracking app takes them. */
const addressesIn = (networks: Networks): string[] =>
  Object.entries(networks)
    .filter(([name]) => !INNER.test(name))
    .flatMap(([, addresses = []]) => addresses)
    .filter(({ family, internal, address }) => family === 'IPv4' && !internal && !LINK_LOCAL.test(address))
    .map(({ address }) => address);

/** Where devices reach this server, for the settings of phones. */
export const reachOperations = (parts: ReachParts): Handlers<'getReach'> => ({ getReach: async () => reachOf(parts) });
