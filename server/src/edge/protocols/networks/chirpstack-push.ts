import { downlinkAddress, loraDownlink } from './lorawan.ts';
import type { NetworkMessage, Push, WaitingMessage } from './network.ts';

/**
 * Enqueues downlinks with ChirpStack's REST API. ChirpStack does not send the address of its API: users add it, and an
 * API key, as headers of the integration.
 */
export function chirpstackPush(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  waiting: readonly WaitingMessage[],
  { names: [eui] }: Pick<NetworkMessage, 'names'>,
): Push | undefined {
  const to = downlinkAddress(headers);
  const found = loraDownlink(waiting);
  if (to === undefined || found === undefined || eui === undefined) return undefined;
  if (!URL.canParse(to.url)) return undefined;
  const { messageId, fPort, payload } = found;
  const url = new URL(to.url);
  // The address of the server, with or without the path of the API.
  url.pathname = `${url.pathname.replace(/\/+(?:api\/*)?$/, '')}/api/devices/${eui.toLowerCase()}/queue`;
  return {
    messageId,
    url: url.href,
    headers: {
      authorization: `Bearer ${to.key}`,
      'grpc-metadata-authorization': `Bearer ${to.key}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ queueItem: { confirmed: false, data: payload, fPort } }),
  };
}
