import { type TSchema, Type } from 'typebox';

/** The price list of one currency: `[[fromQuantity, unitPrice], …]`. */
const priceList = Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), {
  maxItems: 100,
  description: 'Pairs of minimum quantity and unit price.',
});

/** Maximum nesting depth of `tax`. */
export const MAX_TAXES = 5;

/** Refers to itself by name: `tax` has the structure of the prices that it belongs to. */
export const pricesSchema: TSchema = Type.Object(
  {
    eur: Type.Optional(priceList),
    gbp: Type.Optional(priceList),
    usd: Type.Optional(priceList),
    tax: Type.Optional(
      Type.Unsafe({
        description: `Tax by quantity, for each currency: it has the same structure and can have a tax itself. At most ${MAX_TAXES} deep.`,
        'x-same-as': 'Prices',
        'x-depth': MAX_TAXES,
      }),
    ),
  },
  { title: 'prices', description: 'Unit prices by quantity, for each currency. `tax` has the same structure.' },
);

/** Recursive schemas, by their name in documents. */
export const NAMED_SCHEMAS: Readonly<Record<string, TSchema>> = { Prices: pricesSchema };
