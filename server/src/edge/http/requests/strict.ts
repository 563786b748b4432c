import { didYouMean } from '@trackway/contract/nearest.ts';
import type { Operation } from '@trackway/contract/operation.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { QueryPairs } from '../../../calls.ts';
import { badRequest } from '../../../platform/errors.ts';
import { invalid } from '../../../refusals.ts';

/** With `Prefer: handling=strict`, words that mean nothing here are refused instead of ignored. */
export function refuseUnknown(
  { query = {}, narrowing, body }: Operation,
  asked: QueryPairs,
  sent: Readonly<Record<string, unknown>>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (!/\bhandling\s*=\s*"?strict\b/i.test(String(request.headers.prefer ?? ''))) return;
  const words = [...Object.keys(query), ...(narrowing ? ['filter', narrowing] : []), 'access_token'];
  for (const [name] of asked) {
    const word = name.replace(/\[.*$/s, '');
    if (!words.includes(word))
      throw badRequest(`Unknown query parameter "${name.slice(0, 60)}".${didYouMean(word.slice(0, 60), words)}`);
  }
  if (body !== undefined) {
    const fields = Object.keys(body.noun.fields);
    const unknown = Object.keys(sent).filter((field) => !fields.includes(field));
    if (unknown.length > 0)
      throw invalid(
        body.noun.name,
        unknown.slice(0, 20).map((field) => ({
          field: field.slice(0, 60),
          code: 'unknown',
          message: `is not known.${didYouMean(field.slice(0, 60), fields)}`.replace(/[.?]$/, ''),
        })),
      );
  }
  reply.header('preference-applied', 'handling=strict');
}
