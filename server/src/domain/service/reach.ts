import { existsSync } from 'node:fs';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import type { Reach } from '@trackway/contract/resources/service/reach.ts';
import type { Handlers, NetworkListeners } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import { isLoopback } from '../../platform/egress/ip.ts';
import { Refusal } from '../../platform/errors.ts';
import { type AuditEntry, byCaller, recordAudit } from '../audit/record.ts';
import { installationText } from '../schema/installation-lease.ts';
import type { Store } from '../schema/tables.ts';

interface ReachParts {
  readonly publicUrl: string;
  /** The configured host that the server listens on. */
  readonly host: string;
  /** Where it listens, once it does. */
  address(): string;
  readonly listeners: NetworkListeners;
  /** The addresses of this machine in its networks; absent to use the addresses of the system. */
  readonly networkAddresses?: () => readonly string[];
}

/** How devices reach this server, and whether those in the local network may. */
export interface ServerReach {
  current(): Promise<Reach>;
  /** Opens or closes the local network, now and at each later start. */
  setAccess(isOpen: boolean, by?: Partial<AuditEntry>): Promise<Reach>;
  /** Whether the access from the local network is still undecided. */
  isUndecided(): Promise<boolean>;
  /** Follows the stored decision, which another node may have changed, and the addresses, which change with the network. */
  follow(): Promise<void>;
}

type Networks = NodeJS.Dict<NetworkInterfaceInfo[]>;

const ANYWHERE = /^(0\.0\.0\.0|::|\[::\])$/;
/** Networks between programs of this machine, where no phone is. */
const INNER = /^(docker|br-|veth|virbr|vmnet|vboxnet|lxc|lxd|cni|flannel|cali|podman)/;
const LINK_LOCAL = /^169\.254\./;
/** Addresses of local networks: a public one would open the server to everyone, without encryption. */
const PRIVATE = /^(10|127|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;
const MOST = 8;
/** The stored decision: `open` or `closed`. */
const NAME = 'networkAccess';

export function serverReach(store: Store, parts: ReachParts): ServerReach {
  const { host, listeners, address } = parts;
  const publicUrl = parts.publicUrl.replace(/\/+$/, '');
  const networkAddresses = () => (parts.networkAddresses ?? systemAddresses)().slice(0, MOST);
  const fixed = publicUrl !== '' ? 'proxy' : isLoopback(host) ? undefined : 'always';
  const decision = installationText(store, NAME);
  let following = Promise.resolve();

  const follow = () => {
    const next = async () => {
      if (fixed !== undefined || address() === '') return;
      const isOpen = (await decision.load()) === 'open';
      const addresses = isOpen ? networkAddresses().filter((one) => PRIVATE.test(one)) : [];
      await listeners.listenOn(addresses, Number(portOf(address())));
    };
    // One after another, because each compares what is open with what should be.
    following = following.then(next, next);
    return following;
  };

  async function current(): Promise<Reach> {
    if (publicUrl !== '') return { addresses: [{ url: publicUrl, kind: 'public' }], localNetwork: 'proxy' };
    const localNetwork = fixed ?? ((await decision.load()) === 'open' ? 'on' : 'off');
    const hosts = fixed === undefined ? listeners.addresses() : ANYWHERE.test(host) ? networkAddresses() : [host];
    const known = address() === '' ? [] : hosts;
    return { addresses: known.map((one) => ({ url: urlAt(address(), one), kind: 'network' })), localNetwork };
  }

  return {
    current,
    follow,
    isUndecided: async () => fixed === undefined && (await decision.load()) === undefined,
    async setAccess(isOpen, by = {}) {
      if (fixed !== undefined)
        throw new Refusal(
          409,
          fixed === 'proxy'
            ? 'Devices reach this server at TRACKWAY_PUBLIC_URL'
            : 'TRACKWAY_HOST already opens this server to the network',
          { code: 'NETWORK_ACCESS_FIXED' },
        );
      await store.transaction(async (tx) => {
        await installationText({ query: tx }, NAME).save(isOpen ? 'open' : 'closed');
        await recordAudit(tx, { ...by, action: 'network.changed', detail: { isOpen } }, timeNow());
      });
      await follow();
      return current();
    },
  };
}

const portOf = (address: string) => new URL(address).port || (address.startsWith('https:') ? '443' : '80');

const urlAt = (address: string, host: string) =>
  `${new URL(address).protocol}//${host.includes(':') ? `[${host}]` : host}:${portOf(address)}`;

/** A container sees only networks that end at its machine. */
const systemAddresses = () => addressesIn(existsSync('/.dockerenv') ? {} : networkInterfaces());

/** IPv4 alone: the addresses of a home network change less, and every tracking app takes them. */
export const addressesIn = (networks: Networks): string[] =>
  Object.entries(networks)
    .filter(([name]) => !INNER.test(name))
    .flatMap(([, addresses = []]) => addresses)
    .filter(({ family, internal, address }) => family === 'IPv4' && !internal && !LINK_LOCAL.test(address))
    .map(({ address }) => address);

export const reachOperations = (reach: ServerReach): Handlers<'getReach' | 'setNetworkAccess'> => ({
  getReach: () => reach.current(),
  setNetworkAccess: (call) => reach.setAccess(call.body.isOpen!, byCaller(call)),
});
