import { Type } from 'typebox';
import { CHANNEL_KINDS } from './channels.ts';
import { operation } from './operation.ts';

const info = Type.Object(
  {
    version: Type.String({ description: 'Of the service.' }),
    publicUrl: Type.String({ description: 'Address by which people and devices reach it; empty where not set.' }),
    mapStyle: Type.String({ description: 'Address of a MapLibre style for maps; empty where not set.' }),
    mapOverlay: Type.String({
      description: 'Address on this server of GeoJSON to be drawn on maps; empty where the operator set none.',
    }),
    planPurchase: Type.Boolean({ description: 'Whether users may buy plan credits themselves.' }),
    pushKey: Type.String({ description: 'The public key by which a browser subscribes to push messages, base64url.' }),
    channels: Type.Object(Object.fromEntries(CHANNEL_KINDS.map((channel) => [channel, Type.Boolean()])), {
      description: 'Which channels the operator has set up.',
    }),
  },
  { title: 'server info' },
);

export const infoOperations = {
  getServerInfo: operation('GET', '/info', 'anyone', {
    summary: 'What a page or an app needs to know of this server',
    answer: info,
  }),
};
