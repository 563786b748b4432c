import type { Noun, Sent, Shown } from './schema.ts';

type Values = Readonly<Record<string, unknown>>;

/** How a noun of version 2 is stored under the names of version 1. */
export interface OtherNames<N extends Noun> {
  /** The stored names by the names of the noun, where they differ. */
  readonly names: Readonly<Record<string, string>>;
  /** What the noun shows of stored values. */
  show(stored: object): Shown<N>;
  /** What a body says, under the stored names. */
  take(body: Sent<N>): Record<string, unknown>;
}

/** @param names `{ ownerId: 'userId' }`: the field `ownerId` of the noun is stored as `userId` */
export function otherNames<N extends Noun>(noun: N, names: Readonly<Record<string, string>>): OtherNames<N> {
  return {
    names,
    show: (stored) =>
      Object.fromEntries(
        Object.keys(noun.fields).map((field) => [field, (stored as Values)[names[field] ?? field] ?? null]),
      ) as Shown<N>,
    take: (body) => Object.fromEntries(Object.entries(body).map(([field, value]) => [names[field] ?? field, value])),
  };
}
