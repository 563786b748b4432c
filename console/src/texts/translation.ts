import type { texts } from './en/texts.ts';

/** What a translation has to bring: the same keys, and functions of the same values. */
export type Texts = Translated<typeof texts>;

/** Words may differ. What names something in the code, an icon or a kind of field, stays what it is. */
type Translated<T> = T extends string
  ? string
  : T extends (...values: never[]) => unknown
    ? T
    : { readonly [K in keyof T]: K extends 'icon' | 'type' ? T[K] : Translated<T[K]> };
