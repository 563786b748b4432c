import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../platform/errors.ts';
import { isUserWord } from './path-ids.ts';

/**
 * The paths of the API with their methods and routes. It distinguishes a known path with a wrong method from an unknown
 * path, and makes startup fast: a router that compiles hundreds of routes takes long.
 */

interface Place<Route> {
  readonly words: Map<string, Place<Route>>;
  parameter?: { readonly place: Place<Route>; readonly isUser: boolean };
  readonly methods: Map<string, Mounted<Route> | undefined>;
  allow?: string;
}

interface Mounted<Route> {
  readonly route: Route;
  /** Parameter names of the path, in order. */
  readonly names: readonly string[];
}

/** The routes at a path. */
interface FoundPath<Route> {
  /** The value of an `Allow` header. */
  readonly allow: string;
  /** Undefined for another method, and for routes that are mounted elsewhere. */
  route(method: string): { readonly route: Route; readonly parameters: Record<string, string> } | undefined;
}

const newPlace = <Route>(): Place<Route> => ({ words: new Map(), methods: new Map() });

export class KnownPaths<Route = never> {
  readonly #root = newPlace<Route>();

  /** @param route absent if it is mounted elsewhere */
  add(url: string, methods: readonly string[], route?: Route): void {
    let place = this.#root;
    let before = '';
    const names: string[] = [];
    for (const segment of segmentsOf(url)) {
      if (segment.startsWith(':')) names.push(segment.slice(1));
      place = segment.startsWith(':') ? parameterOf(place, before === 'users') : wordOf(place, segment.toLowerCase());
      before = segment;
    }
    for (const method of methods) place.methods.set(method, route === undefined ? undefined : { route, names });
  }

  /** Undefined for an unknown path. Fixed segments take precedence over parameters. */
  at(path: string): FoundPath<Route> | undefined {
    const values: string[] = [];
    const place = found(this.#root, segmentsOf(path), 0, values);
    if (place === undefined) return undefined;
    place.allow ??= [...place.methods.keys(), 'OPTIONS'].join(', ');
    return {
      allow: place.allow,
      route(method) {
        const mounted = place.methods.get(method);
        if (mounted === undefined) return undefined;
        const parameters: Record<string, string> = {};
        for (const [index, name] of mounted.names.entries()) parameters[name] = decoded(values[index]!);
        return { route: mounted.route, parameters };
      },
    };
  }
}

/** Records every path below `/api` and `/v2` that is mounted later. */
export function noteRoutes<Route>(server: FastifyInstance): KnownPaths<Route> {
  const known = new KnownPaths<Route>();
  server.addHook('onRoute', ({ url, method }) => {
    if (isOfApi(url) && !url.endsWith('*')) known.add(url, [method].flat());
  });
  return known;
}

export const pathOf = (url: string) => url.split('?', 1)[0]!;

export const isOfApi = (url: string) => /^\/(api|v2)(\/|$|\?)/i.test(url);

export const methodNotAllowed = (method: string, allow: string) =>
  new Refusal(405, `${method} is not allowed here: use ${allow}`, {
    name: 'MethodNotAllowedError',
    headers: { allow },
  });

const segmentsOf = (path: string) => path.replace(/\/$/, '').split('/').slice(1);

function wordOf<Route>(place: Place<Route>, word: string): Place<Route> {
  const next = place.words.get(word) ?? newPlace<Route>();
  place.words.set(word, next);
  return next;
}

function parameterOf<Route>(place: Place<Route>, isUser: boolean): Place<Route> {
  place.parameter ??= { place: newPlace(), isUser };
  return place.parameter.place;
}

/** @param values receives the segments that match parameters */
function found<Route>(
  place: Place<Route>,
  segments: readonly string[],
  depth: number,
  values: string[],
): Place<Route> | undefined {
  if (depth === segments.length) return place.methods.size > 0 ? place : undefined;
  const segment = segments[depth]!;
  const word = place.words.get(segment.toLowerCase());
  const byWord = word && found(word, segments, depth + 1, values);
  if (byWord) return byWord;
  const { parameter } = place;
  if (parameter === undefined || segment === '') return undefined;
  if (parameter.isUser && !isUserWord(decoded(segment))) return undefined;
  values.push(segment);
  const byParameter = found(parameter.place, segments, depth + 1, values);
  if (byParameter === undefined) values.pop();
  return byParameter;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
