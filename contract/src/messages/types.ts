import type { MessageArguments } from './generated/arguments.ts';
import type { CATALOGS } from './generated/catalogs.ts';

/** Every message by its key: a text, or a function of its arguments. */
export type Messages = Typed<(typeof CATALOGS)['en'], ''>;

type Typed<T, Path extends string> = {
  readonly [K in keyof T & string]: `${Path}${K}` extends infer Key extends keyof MessageArguments
    ? (values: Readonly<MessageArguments[Key]>) => string
    : T[K] extends string
      ? string
      : T[K] extends readonly unknown[]
        ? readonly string[]
        : Typed<T[K], `${Path}${K}.`>;
};
