import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../../platform/errors.ts';
import { isUserWord } from '../path-ids.ts';

/** The addresses of the API and their methods, so that a known address with another method is told from an unknown one. */

interface Place {
  readonly words: Map<string, Place>;
  parameter?: { readonly place: Place; readonly isUser: boolean };
  readonly methods: Set<string>;
}

const newPlace = (): Place => ({ words: new Map(), methods: new Set() });

export class KnownPaths {
  readonly #root = newPlace();

  add(url: string, methods: readonly string[]): void {
    let place = this.#root;
    let before = '';
    for (const segment of segmentsOf(url)) {
      place = segment.startsWith(':') ? parameterOf(place, before === 'users') : wordOf(place, segment.toLowerCase());
      before = segment;
    }
    for (const method of methods) place.methods.add(method);
  }

  /** The value of an `Allow` header; undefined for an address that does not exist. Fixed words win over parameters. */
  allowAt(path: string): string | undefined {
    const methods = found(this.#root, segmentsOf(path), 0)?.methods;
    return methods && [...methods, 'OPTIONS'].join(', ');
  }
}

/** Notes every address below `/api` and `/v2` that is mounted after this. */
export function noteRoutes(server: FastifyInstance): KnownPaths {
  const known = new KnownPaths();
  server.addHook('onRoute', ({ url, method }) => {
    if (isOfApi(url)) known.add(url, [method].flat());
  });
  return known;
}

export const isOfApi = (url: string) => /^\/(api|v2)(\/|$|\?)/i.test(url);

export const methodNotAllowed = (method: string, allow: string) =>
  new Refusal(405, `${method} is not allowed here: use ${allow}`, {
    name: 'MethodNotAllowedError',
    headers: { allow },
  });

const segmentsOf = (path: string) => path.replace(/\/$/, '').split('/').slice(1);

function wordOf(place: Place, word: string): Place {
  const next = place.words.get(word) ?? newPlace();
  place.words.set(word, next);
  return next;
}

function parameterOf(place: Place, isUser: boolean): Place {
  place.parameter ??= { place: newPlace(), isUser };
  return place.parameter.place;
}

function found(place: Place, segments: readonly string[], depth: number): Place | undefined {
  if (depth === segments.length) return place.methods.size > 0 ? place : undefined;
  const segment = segments[depth]!;
  const word = place.words.get(segment.toLowerCase());
  const byWord = word && found(word, segments, depth + 1);
  if (byWord) return byWord;
  const { parameter } = place;
  if (parameter === undefined || segment === '') return undefined;
  if (parameter.isUser && !isUserWord(decoded(segment))) return undefined;
  return found(parameter.place, segments, depth + 1);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
