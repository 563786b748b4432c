import { Type } from 'typebox';
import { operation } from './operation.ts';

const info = Type.Object(
  {
    version: Type.String({ description: 'Of the service.' }),
    publicUrl: Type.String({ description: 'Address by which people and devices reach it; empty where not set.' }),
    mapStyle: Type.String({ description: 'Address of a MapLibre style for maps; empty where not set.' }),
    planPurchase: Type.Boolean({ description: 'Whether users may buy plan credits themselves.' }),
  },
  { title: 'server info' },
);

export const infoOperations = {
  getServerInfo: operation('GET', '/info', 'anyone', {
    summary: 'What a page or an app needs to know of this server',
    answer: info,
  }),
};
