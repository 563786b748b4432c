import { downlinkAddress, loraDownlink } from './lorawan.ts';
import type { Push, WaitingMessage } from './network.ts';

/** The Things Stack includes the address and the key for downlinks in each request. */
export function pushOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  waiting: readonly WaitingMessage[],
): Push | undefined {
  const to = downlinkAddress(headers);
  const found = loraDownlink(waiting);
  if (to === undefined || found === undefined) return undefined;
  const { messageId, fPort, payload } = found;
  const downlink = {
    f_port: fPort,
    frm_payload: payload,
    priority: 'NORMAL',
    correlation_ids: [`trackway:message:${messageId}`],
  };
  return {
    messageId,
    url: to.url,
    headers: { authorization: `Bearer ${to.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ downlinks: [downlink] }),
  };
}
