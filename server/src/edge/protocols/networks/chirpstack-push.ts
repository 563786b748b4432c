import { downlinkAddress, loraDownlink } from './lora-downlink.ts';
import type { NetworkMessage, Push, WaitingMessage } from './network.ts';

/**
 * By the queue of a device in the REST interface of ChirpStack. ChirpStack does not say where that is: whoever sets the
 * integration up adds it, and a key, as headers of their own.
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
  // The address of the server, with or without the path of its interface.
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
