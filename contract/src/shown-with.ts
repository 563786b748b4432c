import { type Static, type TObject, type TSchema, type TUnsafe, Type } from 'typebox';
import { answerOf } from './operation.ts';
import type { Fields, Noun, Shown } from './schema.ts';

type More<M extends Fields> = Static<TObject<M>>;

/** A noun in responses with additional fields. */
export function shownWith<N extends Noun, M extends Fields>(noun: N, title: string, more: M) {
  const { properties } = answerOf(noun) as TSchema as { properties: Fields };
  return Type.Object({ ...properties, ...more }, { title }) as TSchema as TUnsafe<Shown<N> & More<M>>;
}
