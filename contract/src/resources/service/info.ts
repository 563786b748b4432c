import { Type } from 'typebox';
import { CHANNEL_KINDS } from '../../channels.ts';
import { operation } from '../../operation.ts';
import { mapFile } from './maps.ts';

const info = Type.Object(
  {
    version: Type.String({ description: 'Version of the service.' }),
    publicUrl: Type.String({ description: 'URL of the server for users and devices. Empty if not set.' }),
    mapStyle: Type.String({ description: 'URL of the MapLibre style for maps. Empty if not set.' }),
    mapFile: Type.Union([mapFile, Type.Null()], {
      description: 'The map file that an admin has chosen for maps. Null if there is none.',
    }),
    mapOverlay: Type.String({
      description: 'Path on this server of a GeoJSON file to draw on maps. Empty if not set.',
    }),
    findsAddresses: Type.Boolean({ description: 'Whether the operator has a geocoder, so that addresses are found.' }),
    needsSetup: Type.Boolean({
      description:
        'Whether no account exists yet. Create the first one with the link the server prints when it starts.',
    }),
    openidButton: Type.String({
      description: 'Text of the button to sign in by OpenID Connect. Empty if it is not set up.',
    }),
    trackersPort: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Port for trackers of all protocols, TCP and UDP. Null if there is none.',
    }),
    planPurchase: Type.Boolean({ description: 'Whether users can buy plan credits.' }),
    pushKey: Type.String({ description: 'Public key for subscribing a browser to web push, base64url-encoded.' }),
    channels: Type.Object(
      Object.fromEntries(
        CHANNEL_KINDS.map((channel) => [channel, Type.Boolean({ description: `Whether ${channel} is configured.` })]),
      ),
      {
        title: 'configured channels',
        description: 'Notification channels, and whether the operator has configured them.',
      },
    ),
  },
  { title: 'server info' },
);

export const infoOperations = {
  getServerInfo: operation('GET', '/info', 'anyone', {
    summary: 'Get server information',
    description: 'Public settings that a web page or an app needs to know.',
    answer: info,
  }),
};
