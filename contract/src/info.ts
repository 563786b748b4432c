import { Type } from 'typebox';
import { CHANNELS } from './channels.ts';
import { operation } from './operation.ts';

const info = Type.Object(
  {
    version: Type.String({ description: 'Of the service.' }),
    publicUrl: Type.String({ description: 'Address by which people and devices reach it; empty where not set.' }),
    mapStyle: Type.String({ description: 'Address of a MapLibre style for maps; empty where not set.' }),
    mapOverlay: Type.String({
      description: 'Address on this server of GeoJSON to be drawn on maps; empty where the operator set none.',
    }),
    needsSetup: Type.Boolean({
      description:
        'Whether no account exists yet. The first is made with the link that the server prints when it starts.',
    }),
    planPurchase: Type.Boolean({ description: 'Whether users may buy plan credits themselves.' }),
    pushKey: Type.String({ description: 'The public key by which a browser subscribes to push messages, base64url.' }),
    channels: Type.Object(Object.fromEntries(CHANNELS.map((channel) => [channel, Type.Boolean()])), {
      description: 'Which ways out for notifications the operator has set up.',
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
