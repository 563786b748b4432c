import { type Static, Type } from 'typebox';
import { operation } from '../../operation.ts';
import { flag, noun } from '../../schema.ts';

const address = Type.Object(
  {
    url: Type.String({ description: 'URL of this server.' }),
    kind: Type.Enum(['public', 'network'], {
      description: '`public`: the public URL of the settings. `network`: an address in the network of this machine.',
    }),
  },
  { title: 'server address' },
);

const reach = Type.Object(
  {
    addresses: Type.Array(address, { description: 'The best first. Empty if only this machine can reach it.' }),
    localNetwork: Type.Enum(['off', 'on', 'always', 'proxy'], {
      description:
        'Whether devices in the network of this machine can connect. `off`: not yet, only this machine can. `on`: an admin has allowed it. `always`: set by `TRACKWAY_HOST`. `proxy`: at `TRACKWAY_PUBLIC_URL`.',
    }),
  },
  { title: 'reach' },
);
export type Reach = Static<typeof reach>;

export const networkAccess = noun(
  'networkAccess',
  { isOpen: flag('Whether devices in the network of this machine can connect.') },
  { required: ['isOpen'], always: ['isOpen'], sentAs: 'network access request' },
);

export const reachOperations = {
  getReach: operation('GET', '/reach', 'user', {
    summary: 'Get the addresses of this server for devices',
    description: 'For settings of phones and their QR codes. Addresses that only this machine can use are not listed.',
    answer: reach,
  }),
  setNetworkAccess: operation('PUT', '/reach', 'admin', {
    summary: 'Let devices in the local network connect',
    description:
      'Opens or closes the port of this server on the network addresses of its machine at once, and at each later start. Closing ends the connections there. Requests in the network must name the server by its IP address, its host name or its `.local` name. Refused if `TRACKWAY_HOST` or `TRACKWAY_PUBLIC_URL` decides instead.',
    body: { noun: networkAccess, mode: 'create' },
    answer: reach,
    refuses: [409, 422],
  }),
};
