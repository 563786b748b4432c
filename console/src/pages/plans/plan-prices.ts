/** Prices of a plan are lists of `[fromQuantity, unitPrice]`; most plans have one price per currency. */
export const CURRENCIES = ['eur', 'gbp', 'usd'] as const;
export type Currency = (typeof CURRENCIES)[number];
export type SimplePrices = Record<Currency, number | null>;

type Steps = readonly (readonly number[])[];
type Prices = Partial<Record<Currency | 'tax', unknown>> | null | undefined;

const stepsOf = (prices: Prices, currency: Currency) => (prices?.[currency] ?? []) as Steps;

export const pricesOf = (prices: unknown): SimplePrices =>
  Object.fromEntries(
    CURRENCIES.map((currency) => [currency, stepsOf(prices as Prices, currency)[0]?.[1] ?? null]),
  ) as SimplePrices;

/** Whether a plan has more than one price per currency. */
export const hasSteps = (prices: unknown): boolean =>
  (prices as Prices)?.tax !== undefined || CURRENCIES.some((one) => stepsOf(prices as Prices, one).length > 1);

export const simplePrices = (prices: SimplePrices): Partial<Record<Currency, number[][]>> =>
  Object.fromEntries(
    CURRENCIES.flatMap((currency) => {
      const price = prices[currency];
      return price === null ? [] : [[currency, [[1, price]]]];
    }),
  );
