import { Type } from 'typebox';
import { operation } from '../operation.ts';
import { noun, object } from '../schema.ts';

/** Plans in version 2, where each credit is a thing of its own. */

const v2 = { versions: ['v2'] as const };

const purchase = noun(
  'purchase',
  {
    currency: Type.Enum(['usd', 'eur', 'gbp'], { description: 'Currency of the prices in the response.' }),
    products: object('Number of credits by SKU of the plan: 1 to 100 SKUs, 1 to 1 000 000 credits each.'),
  },
  { required: ['currency', 'products'] },
);

const priceOrNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

const bought = Type.Object(
  {
    currency: Type.Enum(['usd', 'eur', 'gbp'], { description: 'Currency of the prices.' }),
    total: priceOrNull('Sum of the prices. Null if a plan has no price in the currency.'),
    orders: Type.Array(
      Type.Object({
        sku: Type.String({ description: 'SKU of the plan.' }),
        planId: Type.Integer({ description: 'Id of the plan.' }),
        count: Type.Integer({ description: 'Number of credits.' }),
        orderId: Type.Integer({ description: 'Id of the purchase, `orderId` of each of its credits.' }),
        unitPrice: priceOrNull('Price of one credit at this quantity. Null if the plan has none in the currency.'),
      }),
      { description: 'One entry for each SKU.' },
    ),
  },
  { title: 'purchase result' },
);

export const planV2Operations = {
  buyPlans: operation('POST', '/users/buyPlans', 'user', {
    ...v2,
    summary: 'Buy plan credits by SKU',
    description:
      'All or none. Possible where the operator allows it, and for admins. No money moves: the operator bills what was bought. Send an `Idempotency-Key`, so that a repeat buys nothing twice.',
    body: { noun: purchase, mode: 'create' },
    answer: bought,
  }),
};
