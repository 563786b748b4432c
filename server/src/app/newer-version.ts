import { VERSION } from '../domain/service/info.ts';
import type { Egress } from '../platform/egress/client.ts';
import type { Log } from '../platform/log.ts';

/** A failure is repeated after this time too: the notice is not urgent. */
const ASK_MS = 86_400_000;
const DEADLINE_MS = 8000;
const MAX_BYTES = 256 * 1024;
const VERSION_FORM = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/;

interface UpdatesOptions {
  /** Address of a JSON document with the field `version`. */
  readonly url: string;
  readonly egress: Pick<Egress, 'get'>;
  readonly log: Log;
}

/**
 * The newest version, if it is newer than this one. The address of the operator is asked at most once a day, and only
 * when the health page is open: the first answer is always none.
 */
export function newerVersion({ url, egress, log }: UpdatesOptions): (now: number) => string | null {
  let askedAt = Number.NEGATIVE_INFINITY;
  let newest: string | null = null;
  const ask = async () => {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const headers = { accept: 'application/json', 'user-agent': `Trackway/${VERSION}` };
    const { status, text } = await egress.get({ url, headers, deadlineMs: DEADLINE_MS, signal, maxBytes: MAX_BYTES });
    if (status !== 200) throw new Error(`The address of updates answered ${status}`);
    const { version } = JSON.parse(text) as { version?: unknown };
    const numbers = VERSION_FORM.exec(String(version));
    if (numbers === null) throw new Error('The address of updates names no version like 1.2.3');
    newest = numbers.slice(1).join('.');
  };
  return (now) => {
    if (now - askedAt >= ASK_MS) {
      askedAt = now;
      ask().catch((error) => log.warn({ error }, 'It is not known whether there is a newer version'));
    }
    return newest !== null && isNewer(newest, VERSION) ? newest : null;
  };
}

export function isNewer(version: string, than: string): boolean {
  const [a, b] = [version, than].map((one) => one.split(/[.-]/).map(Number));
  const different = [0, 1, 2].find((part) => a![part] !== b![part]);
  return different !== undefined && a![different]! > b![different]!;
}
