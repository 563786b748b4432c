import fc from 'fast-check';
import { colours, innerValues, instants, names, places, ranks, weights } from './rows.ts';

/** Generates filters over the table of `rows.ts`: every operator of a field, on values that its rows have. */
export interface GeneratedFilter {
  where?: Record<string, unknown>;
  order?: string | string[];
  limit?: number;
  skip?: number;
}

const patterns = fc
  .array(fc.constantFrom('a', 'b', 'A', '%', '_', 'h', 'm', '2', 'é', '\\%', '\\\\', '*', '[', '?', '\n'), {
    maxLength: 4,
  })
  .map((parts) => parts.join(''));
const regexps = fc.constantFrom(
  ...[
    'a',
    '^a',
    'b$',
    '^a.?b',
    '[a-c]+$',
    '^[^a]',
    '(a|b)c?',
    'a{1,2}b',
    '\\d',
    '\\w\\w',
    '\\s',
    '\\bab',
    'a.b',
    '/^A/i',
    '/é/i',
  ],
  ...[
    '\\W',
    '^(?:ab)*$',
    '[\\d\\s]',
    '[^\\w]',
    '^$',
    '^.$',
    '()',
    'a||b',
    'a*?b',
    '\\.',
    '[\\]\\-]',
    'x\\?y',
    '[*?[]',
    '\\n',
    '\\Bb',
  ],
);

function clauses(
  operators: Record<string, fc.Arbitrary<unknown>>,
  value: fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const one = fc
    .constantFrom(...Object.keys(operators))
    .chain((key) => operators[key]!.map((inside) => ({ [key]: inside })));
  return fc.oneof(
    { weight: 2, arbitrary: value },
    { weight: 6, arbitrary: one },
    { weight: 1, arbitrary: fc.tuple(one, one).map(([a, b]) => ({ ...a, ...b })) },
  );
}

const orNull = (value: fc.Arbitrary<unknown>) => fc.option(value, { nil: null, freq: 8 });

function comparisons(value: fc.Arbitrary<unknown>): Record<string, fc.Arbitrary<unknown>> {
  return {
    ...{ eq: orNull(value), neq: orNull(value), gt: value, gte: value, lt: value, lte: value },
    between: fc.tuple(value, value),
    inq: fc.array(orNull(value), { maxLength: 4 }),
    nin: fc.array(orNull(value), { maxLength: 4 }),
    exists: fc.boolean(),
  };
}

const likes = { like: patterns, nlike: patterns, ilike: patterns, nilike: patterns, regexp: regexps };

function equalities(value: fc.Arbitrary<unknown>): Record<string, fc.Arbitrary<unknown>> {
  const { eq, neq, inq, nin, exists } = comparisons(value);
  return { eq: eq!, neq: neq!, inq: inq!, nin: nin!, exists: exists! };
}

const innerScalars = fc.oneof(fc.integer({ min: -3, max: 5 }), weights, colours);
const inner = clauses({ ...comparisons(innerScalars), ...likes, ...equalities(innerValues) }, innerValues);

const fieldConditions: Record<string, fc.Arbitrary<unknown>> = {
  id: clauses(comparisons(fc.integer({ min: 0, max: 17 })), fc.integer({ min: 0, max: 17 })),
  rank: clauses(comparisons(fc.oneof(ranks, weights)), orNull(ranks)),
  weight: clauses(comparisons(weights), orNull(weights)),
  name: clauses({ ...comparisons(names), ...likes }, orNull(names)),
  open: clauses(equalities(fc.boolean()), orNull(fc.boolean())),
  seen: clauses(comparisons(instants), orNull(instants)),
  tags: clauses({ ...equalities(names), ...likes }, orNull(names)),
  spot: clauses(equalities(places), orNull(places)),
  'spot.lat': clauses(comparisons(fc.constantFrom(-10, 0, 52)), fc.constantFrom(0, 52)),
  extra: inner,
  'extra.colour': inner,
  'extra.n': inner,
  'extra.in.n': inner,
  unknown: clauses(comparisons(names), orNull(names)),
};

/** Conditions on JSON whose values have the type that the rows of `typedThings` have at that path. */
const typedConditions: Record<string, fc.Arbitrary<unknown>> = {
  ...fieldConditions,
  extra: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(null, { neq: null }, { exists: true }) },
    { weight: 1, arbitrary: inner },
  ),
  'extra.colour': clauses({ ...comparisons(colours), ...likes }, orNull(colours)),
  'extra.n': clauses(comparisons(weights), orNull(weights)),
  'extra.in.n': fc.oneof(
    { weight: 4, arbitrary: clauses(comparisons(ranks), orNull(ranks)) },
    { weight: 1, arbitrary: inner },
  ),
};

const near = fc.record(
  { near: places, maxDistance: fc.constantFrom(1, 200, 6_000), unit: fc.constantFrom('meters', 'kilometers', 'miles') },
  { requiredKeys: ['near'] },
);

type Conditions = Record<string, fc.Arbitrary<unknown>>;

function whereOf(conditions: Conditions): fc.Arbitrary<Record<string, unknown>> {
  const groups = ['and', 'or', 'nor'];
  const condition = fc
    .constantFrom(...Object.keys(conditions))
    .chain((name) => conditions[name]!.map((value) => ({ [name]: value })));
  return fc.letrec<{ where: Record<string, unknown> }>((tie) => ({
    where: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      { weight: 5, arbitrary: condition },
      { weight: 1, arbitrary: fc.tuple(condition, condition).map(([a, b]) => ({ ...a, ...b })) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom(...groups), fc.array(tie('where'), { maxLength: 3 }))
          .map(([key, list]) => ({ [key]: list })),
      },
    ),
  })).where;
}

const orderFields = ['id', 'rank', 'weight', 'name', 'open', 'seen', 'spot.lat', 'extra.n', 'extra.colour', 'extra'];

function filtersOf(conditions: Conditions, orders: readonly string[]): fc.Arbitrary<GeneratedFilter> {
  const where = whereOf(conditions);
  const term = fc
    .tuple(fc.constantFrom(...orders), fc.constantFrom('', ' ASC', ' DESC'))
    .map((parts) => parts.join(''));
  return fc.record(
    {
      where: fc.oneof(
        { weight: 9, arbitrary: where },
        { weight: 1, arbitrary: fc.tuple(where, near).map(([inside, spot]) => ({ and: [inside, { spot }] })) },
      ),
      order: fc.oneof(term, fc.array(term, { maxLength: 3 })),
      limit: fc.integer({ min: 0, max: 8 }),
      skip: fc.integer({ min: 0, max: 2 }),
    },
    { requiredKeys: ['where'] },
  );
}

export const filters = filtersOf(fieldConditions, orderFields);
export const typedFilters = filtersOf(
  typedConditions,
  orderFields.filter((name) => name !== 'extra'),
);
