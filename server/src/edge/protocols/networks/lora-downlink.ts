import type { WaitingMessage } from './network.ts';

/** `0A0B`, or with the port before it: `15:0A0B`. */
const DOWNLINK = /^(?:(\d{1,3}):)?((?:[0-9a-f]{2}){1,242})$/i;
const DEFAULT_PORT = 1;
const LAST_PORT = 223;

export interface LoraDownlink {
  readonly messageId: number;
  readonly fPort: number;
  /** Base64. */
  readonly payload: string;
}

/** The oldest waiting message that is a downlink. */
export function loraDownlink(waiting: readonly WaitingMessage[]): LoraDownlink | undefined {
  for (const { id, message } of waiting) {
    const [, port, digits] = DOWNLINK.exec(message?.trim() ?? '') ?? [];
    const fPort = port === undefined ? DEFAULT_PORT : Number(port);
    if (digits === undefined || fPort < 1 || fPort > LAST_PORT) continue;
    return { messageId: id, fPort, payload: Buffer.from(digits, 'hex').toString('base64') };
  }
  return undefined;
}

/** Where a network takes downlinks, and by which key, as its request says. Neither is stored. */
export function downlinkAddress(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): { readonly url: string; readonly key: string } | undefined {
  const { 'x-downlink-push': url, 'x-downlink-apikey': key } = headers;
  if (typeof url !== 'string' || typeof key !== 'string' || url.length > 2000 || key.length > 2000) return undefined;
  return { url, key };
}
