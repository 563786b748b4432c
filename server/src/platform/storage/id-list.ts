import type { StoreKind } from './store-kind.ts';

/** A table of ids out of one cell, the JSON text of a list: the statement is the same however many they are. */
export const ID_LIST: Readonly<Record<StoreKind, string>> = {
  sqlite: `SELECT "value" AS "id" FROM json_each(?)`,
  postgres: `SELECT CAST("value" AS BIGINT) AS "id" FROM json_array_elements_text(CAST(? AS JSON))`,
};

/** The same of texts. */
export const TEXT_LIST: Readonly<Record<StoreKind, string>> = {
  sqlite: `SELECT "value" AS "text" FROM json_each(?)`,
  postgres: `SELECT "value" AS "text" FROM json_array_elements_text(CAST(? AS JSON))`,
};
