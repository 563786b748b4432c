import type { Egress } from '../../platform/egress/client.ts';
import type { Log } from '../../platform/log.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import { GEOCODER_FORMS, type GeocoderKind } from './forms.ts';

/** Asks the operator's geocoder for addresses: slowly, each place once, and never more than it may take. */

export interface GeocoderOptions {
  /** Address of its server, with what it needs in the query, such as a key. */
  readonly url: string;
  readonly kind: GeocoderKind;
  /** Requests a second. */
  readonly perSecond: number;
  readonly attribution: string;
  readonly egress: Pick<Egress, 'get'>;
  readonly log: Log;
  readonly agent: string;
  /** Milliseconds that pass evenly. */
  readonly monotonic?: () => number;
}

interface AddressAnswer {
  readonly address: string | null;
  readonly isWaiting: boolean;
}

interface Known {
  readonly address: string | null;
  /** Undefined for one that stays. */
  readonly until: number | undefined;
}

const MOST_KNOWN = 50_000;
const MOST_WAITING = 50;
const MOST_WAITING_OF_USER = 20;
/** How long a caller waits for the answer; it is kept for the next who asks. */
const PATIENCE_MS = 2500;
const DEADLINE_MS = 8000;
const MAX_BYTES = 32 * 1024;
const UNKNOWN_MS = 3_600_000;
const FAILED_MS = 60_000;
/** Places within about 11 m have one address. */
const DIGITS = 4;
const WAITING: AddressAnswer = { address: null, isWaiting: true };

export function createGeocoder(options: GeocoderOptions) {
  const { url, kind, perSecond, egress, log, agent, attribution, monotonic = () => performance.now() } = options;
  const form = GEOCODER_FORMS[kind];
  const known = new RecentMap<string, Known>(MOST_KNOWN);
  const asked = new Map<string, Promise<string | null>>();
  const waitingOf = new Map<number, number>();
  const ending = new AbortController();
  let nextAt = 0;

  /** Resolves when the next request may be sent. */
  const turn = (): Promise<void> => {
    const now = monotonic();
    const at = Math.max(now, nextAt);
    nextAt = at + 1000 / perSecond;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, at - now);
      timer.unref();
    });
  };

  async function ask(key: string, lat: string, lng: string): Promise<string | null> {
    await turn();
    const { signal } = ending;
    let address: string | null = null;
    let until: number | undefined;
    try {
      const headers = { accept: 'application/json', 'user-agent': agent };
      const answer = await egress.get({
        url: addressFor(url, form.path, form.query(lat, lng)),
        headers,
        deadlineMs: DEADLINE_MS,
        signal,
        maxBytes: MAX_BYTES,
      });
      if (answer.status !== 200) throw new Error(`The geocoder answered ${answer.status}`);
      address = form.read(JSON.parse(answer.text))?.slice(0, 300) ?? null;
      if (address === null) until = monotonic() + UNKNOWN_MS;
    } catch (error) {
      if (!signal.aborted) log.warn({ error }, 'The geocoder could not be asked');
      until = monotonic() + FAILED_MS;
    }
    known.set(key, { address, until });
    return address;
  }

  return {
    attribution,
    async addressOf(userId: number, place: { readonly lat: number; readonly lng: number }): Promise<AddressAnswer> {
      const [lat, lng] = [place.lat.toFixed(DIGITS), place.lng.toFixed(DIGITS)];
      const key = `${lat} ${lng}`;
      const found = known.get(key);
      if (found && (found.until === undefined || found.until > monotonic()))
        return { address: found.address, isWaiting: false };
      let answer = asked.get(key);
      if (answer === undefined) {
        const own = waitingOf.get(userId) ?? 0;
        if (asked.size >= MOST_WAITING || own >= MOST_WAITING_OF_USER) return WAITING;
        waitingOf.set(userId, own + 1);
        answer = ask(key, lat, lng).finally(() => {
          asked.delete(key);
          const left = (waitingOf.get(userId) ?? 1) - 1;
          if (left <= 0) waitingOf.delete(userId);
          else waitingOf.set(userId, left);
        });
        asked.set(key, answer);
      }
      return Promise.race([answer.then((address) => ({ address, isWaiting: false })), later()]);
    },
    close: () => ending.abort(),
  };
}

function later(): Promise<AddressAnswer> {
  return new Promise((resolve) => {
    setTimeout(resolve, PATIENCE_MS, WAITING).unref();
  });
}

function addressFor(base: string, path: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, '').replace(/\/(v1\/)?reverse$/, '') + path;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}
