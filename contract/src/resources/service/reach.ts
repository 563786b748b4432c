import { Type } from 'typebox';
import { operation } from '../../operation.ts';

const address = Type.Object(
  {
    url: Type.String({ description: 'URL of this server.' }),
    kind: Type.Enum(['public', 'network'], {
      description: '`public`: the public URL of the settings. `network`: an address in the network of this machine.',
    }),
  },
  { title: 'server address' },
);

export const reachOperations = {
  getReach: operation('GET', '/reach', 'user', {
    summary: 'Get the addresses at which devices reach this server',
    description: 'For settings of phones and their QR codes. Addresses that only this machine can use are not listed.',
    answer: Type.Object(
      {
        addresses: Type.Array(address, { description: 'The best first. Empty if only this machine can reach it.' }),
        isLocalOnly: Type.Boolean({
          description: 'Whether the server accepts connections from this machine alone, as `TRACKWAY_HOST` says.',
        }),
      },
      { title: 'reach' },
    ),
  }),
};
