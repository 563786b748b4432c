import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { badRequest, Refusal } from '../../platform/errors.ts';
import { isTooDeep, MAX_DEPTH } from '../protocols/claims.ts';
import { pairsOf } from './query.ts';

/** Parses a body by its content type. An empty body counts as none. */
export type ReadBody = (bytes: Buffer, headers: IncomingHttpHeaders) => unknown;

type Read = (bytes: Buffer, contentType?: string) => unknown;

/**
 * Bodies are JSON or a form, in UTF-8. An empty body counts as no body, because published clients send the content type
 * header without one.
 */
export function takeBodies(server: FastifyInstance): ReadBody {
  server.removeAllContentTypeParsers();
  const readJson = jsonReader(server);
  const readForm: Read = (bytes, contentType) => formObject(textOf(bytes, contentType));
  const readers = new Map([
    ['application/json', readJson],
    ['application/x-www-form-urlencoded', readForm],
  ]);
  for (const [type, read] of readers)
    server.addContentTypeParser(type, { parseAs: 'buffer' }, (request, bytes, done) => {
      let body: unknown;
      try {
        body = read(bytes as Buffer, request.headers['content-type']);
      } catch (error) {
        return done(error as Error);
      }
      done(null, body);
    });
  return (bytes, { 'content-type': contentType }) => {
    if (contentType === undefined && bytes.length === 0) return undefined;
    const read = readers.get((contentType ?? '').split(';', 1)[0]!.trim().toLowerCase());
    if (read === undefined) throw unsupportedType();
    return read(bytes, contentType);
  };
}

export const unsupportedType = () =>
  new Refusal(415, 'Unsupported content type: send application/json or application/x-www-form-urlencoded', {
    name: 'UnsupportedMediaTypeError',
  });

/** Removes `__proto__` and `constructor` keys, so that a body cannot pollute prototypes. */
function jsonReader(server: FastifyInstance): Read {
  const parse = server.getDefaultJsonParser('remove', 'remove');
  return (bytes, contentType) => {
    const text = textOf(bytes, contentType);
    if (text.trim() === '') return undefined;
    refuseTooDeep(text);
    let read: unknown;
    // The parser calls back synchronously and does not use the request.
    parse(undefined as never, text, (error, body) => {
      if (error) throw wrongJson(text) ?? error;
      read = body;
    });
    return read;
  };
}

/** Finding the position takes several attempts to parse, so long bodies are not searched. */
const MOST_SEARCHED = 65_536;

/**
 * Returns an error with the position where a text stops being JSON. Undefined if it is JSON but has a forbidden key.
 */
function wrongJson(text: string): Refusal | undefined {
  if (problemOf(text) === undefined) return undefined;
  const wrong = (place: string) => new Refusal(400, `The body is not valid JSON${place}`, { name: 'SyntaxError' });
  if (text.length > MOST_SEARCHED) return wrong('');
  // Length of the longest prefix that could be continued to valid JSON.
  let good = 0;
  let bad = text.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isBeginning(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  const lines = text.slice(0, good).split('\n');
  return wrong(`: line ${lines.length}, column ${lines.at(-1)!.length + 1}`);
}

/** V8 reports the position of some errors only; for truncated JSON it is the end of the text. */
function isBeginning(text: string): boolean {
  const problem = problemOf(text);
  if (problem === undefined || problem.includes('end of JSON input')) return true;
  return Number(/at position (\d+)/.exec(problem)?.[1] ?? Number.NaN) >= text.length;
}

function problemOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function textOf(bytes: Buffer, contentType = ''): string {
  const charset = /charset="?([^";\s]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new Refusal(415, 'Unsupported charset: send UTF-8', { name: 'UnsupportedMediaTypeError' });
  }
  try {
    return decoder.decode(bytes);
  } catch {
    throw badRequest('The body is not valid UTF-8');
  }
}

export function refuseTooDeep(text: string): void {
  if (isTooDeep(text)) throw badRequest(`The body is nested more than ${MAX_DEPTH} levels deep`);
}

/** No body of the API nests deeper than this. */
const FORM_DEPTH = 6;

interface Branch {
  readonly inner: Map<string, Branch | string>;
}

/**
 * Parses `name=a&center[lat]=1&center[lng]=2&outline[0][lat]=1&tags[]=x`: brackets create objects; numbers and `[]`
 * create lists.
 */
export function formObject(text: string): Record<string, unknown> {
  const root: Branch = { inner: new Map() };
  for (const [name, value] of pairsOf(text, 'The form')) plant(root, pathOf(name), value, name);
  return objectOf(root);
}

function pathOf(name: string): string[] {
  const parts = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  // A name that is not a valid path becomes an unknown field.
  if (parts === null) return [name];
  const inner = [...parts[2]!.matchAll(/\[([^[\]]*)\]/g)].map((match) => match[1]!);
  if (inner.length >= FORM_DEPTH) throw badRequest(`The form is nested more than ${FORM_DEPTH} levels deep`);
  return [parts[1]!, ...inner];
}

function plant(root: Branch, path: readonly string[], value: string, name: string): void {
  let branch = root;
  for (const [depth, step] of path.entries()) {
    const key = step === '' ? String(branch.inner.size) : step;
    const there = branch.inner.get(key);
    if (depth === path.length - 1) {
      if (there !== undefined) throw badRequest(`${name.slice(0, 100)} is given more than once`);
      branch.inner.set(key, value);
      return;
    }
    if (typeof there === 'string') throw badRequest(`${name.slice(0, 100)} is given more than once`);
    const next: Branch = there ?? { inner: new Map() };
    branch.inner.set(key, next);
    branch = next;
  }
}

function objectOf({ inner }: Branch): Record<string, unknown> {
  const object: Record<string, unknown> = Object.create(null);
  for (const [key, value] of inner) object[key] = typeof value === 'string' ? value : grown(value);
  return object;
}

/** Keys that count up from 0 create a list. */
function grown(branch: Branch): unknown {
  const keys = [...branch.inner.keys()];
  const isList = keys.every((key, index) => key === String(index));
  const object = objectOf(branch);
  return isList ? Object.values(object) : object;
}
