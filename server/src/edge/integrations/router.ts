import { RecentMap } from '../../platform/caches.ts';
import type { Egress } from '../../platform/egress/client.ts';
import type { Log } from '../../platform/log.ts';

/** Distances and travel times by road, from the operator's routing service. */

export const ROUTERS = ['osrm', 'valhalla'] as const;
export type RouterKind = (typeof ROUTERS)[number];

interface Place {
  readonly lat: number;
  readonly lng: number;
}

export interface Route {
  /** In metres. */
  readonly distance: number;
  /** In seconds. */
  readonly duration: number;
}

interface RouterForm {
  /** The path below the address of the server, and its query. */
  request(from: Place, to: Place): { readonly path: string; readonly query: Readonly<Record<string, string>> };
  /** The values of a response. Without two numbers there is no route. */
  read(answer: unknown): { readonly distance: unknown; readonly duration: unknown };
}

const lngLat = ({ lat, lng }: Place) => `${lng.toFixed(5)},${lat.toFixed(5)}`;
const latLon = ({ lat, lng }: Place) => ({ lat, lon: lng });

const ROUTER_FORMS: Readonly<Record<RouterKind, RouterForm>> = {
  osrm: {
    request: (from, to) => ({ path: `/route/v1/driving/${lngLat(from)};${lngLat(to)}`, query: { overview: 'false' } }),
    read(answer) {
      const { distance, duration } = (answer as { routes?: Record<string, unknown>[] }).routes?.[0] ?? {};
      return { distance, duration };
    },
  },
  valhalla: {
    // The matrix, since a route would come with its shape.
    request: (from, to) => ({
      path: '/sources_to_targets',
      query: {
        json: JSON.stringify({
          ...{ sources: [latLon(from)], targets: [latLon(to)], costing: 'auto', units: 'kilometers' },
        }),
      },
    }),
    read(answer) {
      const { distance, time } =
        (answer as { sources_to_targets?: Record<string, unknown>[][] }).sources_to_targets?.[0]?.[0] ?? {};
      return { distance: typeof distance === 'number' ? distance * 1000 : undefined, duration: time };
    },
  },
};

interface RouterOptions {
  /** Address of its server, including required query parameters, such as a key. */
  readonly url: string;
  readonly kind: RouterKind;
  readonly egress: Pick<Egress, 'get'>;
  readonly log: Log;
  readonly agent: string;
  /** A monotonic clock in milliseconds. */
  readonly monotonic?: () => number;
}

interface Known {
  readonly route: Route | null;
  readonly from: Place;
  readonly at: number;
}

const MOST_KNOWN = 10_000;
const MOST_ASKED = 20;
/** How often the route of a device that moves is requested. */
const RENEW_MS = 20_000;
/** An older route is not shown. */
const OLD_MS = 120_000;
/** How long a caller waits for a route. A later one is known to the next caller. */
const PATIENCE_MS = 2000;
const DEADLINE_MS = 8000;
const MAX_BYTES = 64 * 1024;

export function createRouter({ url, kind, egress, log, agent, monotonic = () => performance.now() }: RouterOptions) {
  const form = ROUTER_FORMS[kind];
  const known = new RecentMap<string, Known>(MOST_KNOWN);
  const asked = new Map<string, Promise<Route | null>>();
  const ending = new AbortController();

  async function ask(key: string, from: Place, to: Place): Promise<Route | null> {
    const { signal } = ending;
    let route: Route | null = null;
    try {
      const answer = await egress.get({
        url: addressFor(url, form.request(from, to)),
        headers: { accept: 'application/json', 'user-agent': agent },
        ...{ deadlineMs: DEADLINE_MS, signal, maxBytes: MAX_BYTES },
      });
      // OSRM answers 400 if there is no road.
      if (answer.status !== 200 && answer.status !== 400)
        throw new Error(`The routing service responded with ${answer.status}`);
      route = routeIn(form.read(JSON.parse(answer.text)));
    } catch (error) {
      if (!signal.aborted) log.warn({ error }, 'The routing service could not be reached');
    }
    known.set(key, { route, from, at: monotonic() });
    return route;
  }

  return {
    /**
     * Null if no route is known yet, or none exists.
     * @param deviceId whose route it is: while it moves, a route is requested every 20 seconds
     */
    async routeOf(deviceId: number, from: Place, to: Place): Promise<Route | null> {
      const key = `${deviceId} ${to.lat} ${to.lng}`;
      const found = known.get(key);
      const ageMs = found ? monotonic() - found.at : Number.POSITIVE_INFINITY;
      const stands = found?.route && found.from.lat === from.lat && found.from.lng === from.lng;
      if (found && (stands || ageMs < RENEW_MS)) return found.route;
      let answer = asked.get(key);
      if (answer === undefined && asked.size < MOST_ASKED) {
        answer = ask(key, from, to).finally(() => asked.delete(key));
        asked.set(key, answer);
      }
      if (found && ageMs < OLD_MS) return found.route;
      return answer === undefined ? null : Promise.race([answer, later()]);
    },
    close: () => ending.abort(),
  };
}

const isAmount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;

function routeIn({ distance, duration }: ReturnType<RouterForm['read']>): Route | null {
  return isAmount(distance) && isAmount(duration)
    ? { distance: Math.round(distance), duration: Math.round(duration) }
    : null;
}

function later(): Promise<null> {
  return new Promise((resolve) => {
    setTimeout(resolve, PATIENCE_MS, null).unref();
  });
}

function addressFor(base: string, { path, query }: ReturnType<RouterForm['request']>): string {
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}
