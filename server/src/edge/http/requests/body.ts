import type { FastifyInstance, FastifyRequest } from 'fastify';
import { badRequest, Refusal } from '../../../platform/errors.ts';
import { formObject } from './form.ts';

/**
 * Bodies are JSON or a form, in UTF-8. An empty body counts as no body, because published clients send the content type
 * header without one.
 */
export function takeBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  // Removes `__proto__` and `constructor` keys, so that a body cannot pollute prototypes. Other unknown fields are
  // dropped too.
  const parseJson = server.getDefaultJsonParser('remove', 'remove');
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      const text = textOf(request, bytes as Buffer);
      if (text.trim() === '') done(null, undefined);
      else parseJson(request, text, done);
    } catch (error) {
      done(error as Error);
    }
  });
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      done(null, formObject(textOf(request, bytes as Buffer)));
    } catch (error) {
      done(error as Error);
    }
  });
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function textOf(request: FastifyRequest, bytes: Buffer): string {
  const charset = /charset="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new Refusal(415, 'Unsupported charset: send UTF-8', { name: 'UnsupportedMediaTypeError' });
  }
  try {
    return decoder.decode(bytes);
  } catch {
    throw badRequest('The body is not valid UTF-8');
  }
}
