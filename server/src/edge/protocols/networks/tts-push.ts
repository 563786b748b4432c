import type { Push, WaitingMessage } from './network.ts';

/** `0A0B`, or with the port before it: `15:0A0B`. */
const DOWNLINK = /^(?:(\d{1,3}):)?((?:[0-9a-f]{2}){1,242})$/i;
const DEFAULT_PORT = 1;
const LAST_PORT = 223;

/**
 * The oldest waiting message that is a downlink. Where to, and by which key, The Things Stack says with each request, so
 * neither is stored.
 */
export function pushOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  waiting: readonly WaitingMessage[],
): Push | undefined {
  const { 'x-downlink-push': url, 'x-downlink-apikey': key } = headers;
  if (typeof url !== 'string' || typeof key !== 'string' || url.length > 2000 || key.length > 500) return undefined;
  for (const { id, message } of waiting) {
    const [, port, digits] = DOWNLINK.exec(message?.trim() ?? '') ?? [];
    const fPort = port === undefined ? DEFAULT_PORT : Number(port);
    if (digits === undefined || fPort < 1 || fPort > LAST_PORT) continue;
    const downlink = {
      f_port: fPort,
      frm_payload: Buffer.from(digits, 'hex').toString('base64'),
      priority: 'NORMAL',
      correlation_ids: [`trackway:message:${id}`],
    };
    return {
      messageId: id,
      url,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ downlinks: [downlink] }),
    };
  }
  return undefined;
}
