import { type Static, type TObject, type TSchema, type TUnsafe, Type } from 'typebox';
import { answerOf } from './operation.ts';
import type { Fields, Noun, Shown } from './schema.ts';

type More<M extends Fields> = Static<TObject<M>>;

/** A noun as it is shown, with more fields beside its own. */
export function shownWith<N extends Noun, M extends Fields>(noun: N, title: string, more: M) {
  const { properties } = answerOf(noun) as TSchema as { properties: Fields };
  return Type.Object({ ...properties, ...more }, { title }) as TSchema as TUnsafe<Shown<N> & More<M>>;
}
