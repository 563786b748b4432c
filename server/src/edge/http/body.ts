import type { FastifyInstance } from 'fastify';
import { badRequest } from '../../platform/errors.ts';
import { pairsOf } from './query.ts';

/** Bodies are JSON or a form. An empty one is no body: published clients send the header all the same. */
export function takeBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  const parseJson = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if ((text as string).trim() === '') done(null, undefined);
    else parseJson(request, text as string, done);
  });
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, formObject(text as string));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** `name=a&center[lat]=1&center[lng]=2&tags[]=x`: one level of brackets makes objects and lists. */
function formObject(text: string): Record<string, unknown> {
  const body: Record<string, unknown> = Object.create(null);
  for (const [name, value] of pairsOf(text, 'The form')) {
    const nested = /^([^[\]]+)\[([^[\]]*)\]$/.exec(name);
    if (nested === null) {
      if (name in body) throw badRequest(`${name.slice(0, 100)} is given more than once`);
      body[name] = value;
      continue;
    }
    const [, outer, inner] = nested as unknown as [string, string, string];
    if (inner === '') body[outer] = [...(Array.isArray(body[outer]) ? body[outer] : []), value];
    else body[outer] = Object.assign(Object.create(null), body[outer], { [inner]: value });
  }
  return body;
}
