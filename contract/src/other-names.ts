import type { Noun, Sent, Shown } from './schema.ts';

type Values = Readonly<Record<string, unknown>>;

/** Maps a noun of version 2 to the names of version 1, under which it is stored. */
export interface OtherNames<N extends Noun> {
  /** Stored names by the names of the noun, if they differ. */
  readonly names: Readonly<Record<string, string>>;
  /** Converts stored values to the noun. */
  show(stored: object): Shown<N>;
  /** Converts a body to the stored names. */
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
