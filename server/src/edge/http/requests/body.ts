import type { FastifyInstance } from 'fastify';
import { badRequest, Refusal } from '../../../platform/errors.ts';
import { formObject } from './form.ts';

/** Reads a JSON body. An empty one counts as none. */
export type ReadJson = (bytes: Buffer, contentType?: string) => unknown;

/**
 * Bodies are JSON or a form, in UTF-8. An empty body counts as no body, because published clients send the content type
 * header without one.
 */
export function takeBodies(server: FastifyInstance): ReadJson {
  server.removeAllContentTypeParsers();
  const readJson = jsonReader(server);
  const readForm = (bytes: Buffer, contentType?: string) => formObject(textOf(bytes, contentType));
  for (const [type, read] of Object.entries({
    'application/json': readJson,
    'application/x-www-form-urlencoded': readForm,
  }))
    server.addContentTypeParser(type, { parseAs: 'buffer' }, (request, bytes, done) => {
      let body: unknown;
      try {
        body = read(bytes as Buffer, request.headers['content-type']);
      } catch (error) {
        return done(error as Error);
      }
      done(null, body);
    });
  return readJson;
}

/** Removes `__proto__` and `constructor` keys, so that a body cannot pollute prototypes. */
function jsonReader(server: FastifyInstance): ReadJson {
  const parse = server.getDefaultJsonParser('remove', 'remove');
  return (bytes, contentType) => {
    const text = textOf(bytes, contentType);
    if (text.trim() === '') return undefined;
    let read: unknown;
    // It answers at once, and does not look at the request.
    parse(undefined as never, text, (error, body) => {
      if (error) throw error;
      read = body;
    });
    return read;
  };
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
