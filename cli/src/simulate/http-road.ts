import type { Attempt, Road, Tally } from './send.ts';

export interface HttpRoadOptions {
  readonly url: string;
  readonly devices: readonly { readonly key: string; renew?(): Promise<void> }[];
  /** Timeout of a request. */
  readonly timeoutMs?: number;
}

/** Devices that report over HTTP, each with its own key. */
export function httpRoad({ url, devices, timeoutMs = 30_000 }: HttpRoadOptions): Road {
  let lastTally: Tally | undefined;
  return {
    async send({ device, points, readings }, tally, signal) {
      lastTally = tally;
      const response = await fetch(`${url}/ingest/reports`, {
        method: 'POST',
        headers: { authorization: devices[device]!.key, 'content-type': 'application/json' },
        body: JSON.stringify({ points, readings }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      const text = await response.text();
      if (response.ok) count(tally, text);
      else tally.lastError = `${response.status} ${text.slice(0, 200)}`;
      const retryMs = retryAfterMs(response);
      return { outcome: outcomeOf(response.status), ...(retryMs !== undefined && { retryMs }) };
    },

    async renew(device) {
      const { renew } = devices[device]!;
      try {
        await renew?.();
        return renew !== undefined;
      } catch (error) {
        if (lastTally) lastTally.lastError = (error as Error).message;
        return false;
      }
    },
  };
}

function count(tally: Tally, answer: string): void {
  try {
    const { duplicates, quarantined } = JSON.parse(answer);
    if (Number.isInteger(duplicates)) tally.duplicates += duplicates;
    if (Array.isArray(quarantined)) tally.quarantined += quarantined.length;
  } catch {
    // The status already acknowledges the transmission.
  }
}

function outcomeOf(status: number): Attempt['outcome'] {
  if (status >= 200 && status < 300) return 'acknowledged';
  if (status === 401) return 'unknown key';
  return status >= 500 || status === 408 || status === 429 ? 'again' : 'refused';
}

function retryAfterMs(response: Response): number | undefined {
  const header = response.headers.get('retry-after');
  return header !== null && /^\d{1,4}$/.test(header) ? Number(header) * 1000 : undefined;
}
