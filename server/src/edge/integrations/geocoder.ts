import { RecentMap } from '../../platform/caches.ts';
import type { Egress } from '../../platform/egress/client.ts';
import type { Log } from '../../platform/log.ts';
import { type FoundPlace, GEOCODER_FORMS, type GeocoderKind } from './geocoder-forms.ts';

/** Requests addresses from the operator's geocoder: rate-limited, and each place once. */

interface GeocoderOptions {
  /** Address of its server, including required query parameters, such as a key. */
  readonly url: string;
  readonly kind: GeocoderKind;
  /** Requests per second. */
  readonly perSecond: number;
  readonly attribution: string;
  readonly egress: Pick<Egress, 'get'>;
  readonly log: Log;
  readonly agent: string;
  /** A monotonic clock in milliseconds. */
  readonly monotonic?: () => number;
}

interface Answer<T> {
  readonly value: T | null;
  readonly isWaiting: boolean;
}

interface Known<T> {
  readonly value: T | null;
  /** Undefined if it does not expire. */
  readonly until: number | undefined;
}

/** One kind of request: addresses of places, or places of addresses. */
interface Request<T> {
  readonly key: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly known: RecentMap<string, Known<T>>;
  /** Null if the response contains nothing. */
  read(answer: unknown): T | null;
}

const MOST_KNOWN = 50_000;
const MOST_SEARCHES = 2000;
const MOST_WAITING = 50;
const MOST_WAITING_OF_USER = 20;
/** How long a caller waits for the result. A later result is cached for the next caller. */
const PATIENCE_MS = 2500;
const DEADLINE_MS = 8000;
const MAX_BYTES = 32 * 1024;
const UNKNOWN_MS = 3_600_000;
const FAILED_MS = 60_000;
/** Decimals of rounded coordinates: places within about 11 m share one address. */
const DIGITS = 4;
const WAITING = { value: null, isWaiting: true };

export function createGeocoder(options: GeocoderOptions) {
  const { url, kind, perSecond, egress, log, agent, attribution, monotonic = () => performance.now() } = options;
  const form = GEOCODER_FORMS[kind];
  const addresses = new RecentMap<string, Known<string>>(MOST_KNOWN);
  const searches = new RecentMap<string, Known<readonly FoundPlace[]>>(MOST_SEARCHES);
  const asked = new Map<string, Promise<unknown>>();
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

  async function ask<T>({ key, path, query, known, read }: Request<T>): Promise<T | null> {
    await turn();
    const { signal } = ending;
    let value: T | null = null;
    let until: number | undefined;
    try {
      const headers = { accept: 'application/json', 'user-agent': agent };
      const answer = await egress.get({
        url: addressFor(url, path, query),
        headers,
        deadlineMs: DEADLINE_MS,
        signal,
        maxBytes: MAX_BYTES,
      });
      if (answer.status !== 200) throw new Error(`The geocoder responded with ${answer.status}`);
      value = read(JSON.parse(answer.text));
      if (value === null) until = monotonic() + UNKNOWN_MS;
    } catch (error) {
      if (!signal.aborted) log.warn({ error }, 'The geocoder could not be reached');
      until = monotonic() + FAILED_MS;
    }
    known.set(key, { value, until });
    return value;
  }

  async function answerTo<T>(userId: number, request: Request<T>): Promise<Answer<T>> {
    const { key, known } = request;
    const found = known.get(key);
    if (found && (found.until === undefined || found.until > monotonic()))
      return { value: found.value, isWaiting: false };
    let answer = asked.get(key) as Promise<T | null> | undefined;
    if (answer === undefined) {
      const own = waitingOf.get(userId) ?? 0;
      if (asked.size >= MOST_WAITING || own >= MOST_WAITING_OF_USER) return WAITING;
      waitingOf.set(userId, own + 1);
      answer = ask(request).finally(() => {
        asked.delete(key);
        const left = (waitingOf.get(userId) ?? 1) - 1;
        if (left <= 0) waitingOf.delete(userId);
        else waitingOf.set(userId, left);
      });
      asked.set(key, answer);
    }
    return Promise.race([answer.then((value) => ({ value, isWaiting: false })), later()]);
  }

  return {
    attribution,
    async addressOf(userId: number, place: { readonly lat: number; readonly lng: number }) {
      const [lat, lng] = [place.lat.toFixed(DIGITS), place.lng.toFixed(DIGITS)];
      const { value, isWaiting } = await answerTo(userId, {
        key: `${lat} ${lng}`,
        path: form.path,
        query: form.query(lat, lng),
        known: addresses,
        read: (answer) => form.read(answer)?.slice(0, 300) ?? null,
      });
      return { address: value, isWaiting };
    },
    /** @param near a place on the map, so that places around it come first */
    async search(userId: number, text: string, near: { readonly lat: number; readonly lng: number } | undefined) {
      const { path, query, read } = form.search;
      const around = near && { lat: Math.round(near.lat), lng: Math.round(near.lng) };
      const wanted = text.trim().replaceAll(/\s+/g, ' ');
      const { value, isWaiting } = await answerTo(userId, {
        key: `search ${around ? `${around.lat} ${around.lng}` : ''} ${wanted.toLowerCase()}`,
        ...{ path, query: query(wanted, around), known: searches },
        read: (answer) => {
          const places = read(answer);
          return places.length === 0 ? null : places;
        },
      });
      return { places: value ?? [], isWaiting };
    },
    close: () => ending.abort(),
  };
}

function later(): Promise<typeof WAITING> {
  return new Promise((resolve) => {
    setTimeout(resolve, PATIENCE_MS, WAITING).unref();
  });
}

function addressFor(base: string, path: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, '').replace(/\/(v1\/)?(reverse|search)$/, '') + path;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}
