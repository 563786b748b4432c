import { isObject } from '../value.ts';

/**
 * Where filters intentionally differ from LoopBack 3 with its memory connector, and why. This list is complete: the
 * differential test compares everything else unchanged. Most deviations say how to ask LoopBack for the same rows, so
 * the answers are still compared; a filter with a deviation without `ask` is counted and skipped.
 */
export interface Deviation {
  readonly name: string;
  readonly why: string;
  readonly applies: (condition: Condition) => boolean;
  readonly ask?: (condition: Condition) => Asked;
}

/** One operator on one field; a plain value is `is`. */
export interface Condition {
  readonly field: string;
  readonly operator: string;
  readonly value: unknown;
}

/** A `where` for LoopBack; `{others: where}` means all rows that the inner one does not find. */
export type Asked = Record<string, unknown>;

const negative: Record<string, string> = { neq: 'eq', nin: 'inq', nlike: 'like', nilike: 'ilike' };
const isLike = (operator: string) => /like$/.test(operator);
const isText = (value: unknown) => typeof value === 'string';
const nothing: Asked = { id: -1 };
const present = (field: string): Asked => ({ [field]: { neq: null } });

/** The type that the rows of `typedThings` have at each path. */
const jsonTypes: Record<string, string> = { 'extra.colour': 'string', 'extra.n': 'number', 'extra.in.n': 'number' };

function fitsJson({ field, operator, value }: Condition): boolean {
  const type = jsonTypes[field];
  if (type === undefined || operator === 'exists') return true;
  if (isLike(operator) || operator === 'regexp') return type === 'string';
  const values = Array.isArray(value) ? value : [value];
  return values.every((one) => one === null || typeof one === type);
}

export const deviations: readonly Deviation[] = [
  {
    name: 'unknown field',
    why: 'An unknown field matches nothing (contract); LoopBack takes it for null, so `neq` on it finds every row.',
    applies: ({ field }) => field === 'unknown',
    ask: () => nothing,
  },
  {
    name: 'JSON as a whole',
    why: 'LoopBack compares objects by identity, so no object equals another, and reads one as "[object Object]".',
    applies: ({ field, operator, value }) =>
      (field === 'extra' && operator !== 'exists' && value !== null) ||
      (field in jsonTypes && [value].flat().some(isObject)),
  },
  {
    name: 'JSON types',
    why: 'Nested values compare within one JSON type (contract); LoopBack has 5 equal "5" and fails on a regexp of 5.',
    applies: (condition) => !fitsJson(condition),
  },
  {
    name: 'exists',
    why: 'The memory connector does not know `exists`; it means the same as comparing with null.',
    applies: ({ operator }) => operator === 'exists',
    ask: ({ field, value }) => (value ? present(field) : { others: present(field) }),
  },
  {
    name: 'eq on paths and places',
    why: 'LoopBack drops `eq` in favour of the value only on plain fields; on others it finds nothing.',
    applies: ({ field, operator, value }) =>
      operator === 'eq' && (field.includes('.') || (field === 'spot' && value === null)),
    ask: ({ field, value }) => ({ [field]: value }),
  },
  {
    name: 'null against a list',
    why: 'LoopBack fails with a TypeError when a list of texts is compared with null.',
    applies: ({ field, operator, value }) =>
      field === 'tags' && (operator === 'eq' || operator === 'is') && value === null,
    ask: ({ field }) => ({ others: present(field) }),
  },
  {
    name: 'none of a list',
    why: 'A negative operator on a list of texts means that no element fits; LoopBack asks whether some element does not.',
    applies: ({ field, operator, value }) => field === 'tags' && operator in negative && value !== null,
    ask: ({ field, operator, value }) => ({ others: asked({ field, operator: negative[operator]!, value }) }),
  },
  {
    name: 'like with characters of regular expressions',
    why: 'LoopBack hands a like pattern to RegExp, where `[`, `*`, `?` and backslashes have a meaning of their own.',
    applies: ({ operator, value }) =>
      isLike(operator) && isText(value) && /[[\]*?\\^$.|(){}+/\n]/.test(value as string),
  },
  {
    name: 'like of the whole text',
    why: 'like is anchored as in SQL, and an absent text is like nothing; LoopBack searches inside, and in "null".',
    applies: ({ operator }) => isLike(operator),
    ask: ({ field, operator, value }) => {
      const positive = negative[operator] ?? operator;
      const like = { and: [{ [field]: { [positive]: `^${value}$` } }, present(field)] };
      return operator in negative ? { others: like } : like;
    },
  },
  {
    name: 'regexp on an empty text',
    why: 'LoopBack never matches an empty text, not even with `^$`.',
    applies: ({ operator, value }) => operator === 'regexp' && asRegExp(value as string).test(''),
    ask: ({ field, value }) => ({ or: [{ [field]: { regexp: value } }, { [field]: '' }] }),
  },
  {
    name: 'list of times',
    why: 'LoopBack compares the times of a list by identity, so `inq` finds none of them.',
    applies: ({ field, operator }) => field === 'seen' && (operator === 'inq' || operator === 'nin'),
    ask: ({ field, operator, value }) => {
      const some = { or: (value as unknown[]).map((one) => ({ [field]: one })) };
      return operator === 'nin' ? { others: some } : some;
    },
  },
  {
    name: 'place as a whole',
    why: 'LoopBack compares places by identity, so none equals another; ours are equal where lat and lng are.',
    applies: ({ field, operator, value }) => field === 'spot' && operator !== 'near' && value !== null,
    ask: ({ field, operator, value }) => {
      const is = (one: unknown) => {
        const place = one as { lat: number; lng: number } | null;
        return place ? { 'spot.lat': place.lat, 'spot.lng': place.lng } : { [field]: null };
      };
      const some = { or: [value].flat().map(is) };
      return operator in negative ? { others: some } : some;
    },
  },
  {
    name: 'near in metres',
    why: 'A distance without a unit is metres (contract), miles in LoopBack.',
    applies: ({ operator, value }) => operator === 'near' && (value as { unit?: string }).unit === undefined,
    ask: ({ field, value }) => ({ [field]: { ...(value as object), unit: 'meters' } }),
  },
];

/** Deviations in the structure of a filter rather than in one condition. */
export const severalOperators = 'several operators on one field';
export const norGroup = 'nor';
export const formDeviations: Record<string, string> = {
  [severalOperators]: 'They all apply (contract); LoopBack applies one of them and drops the rest.',
  [norGroup]: 'The memory connector takes `nor` for a field.',
};

/** A deviation without an equivalent query in LoopBack. */
export class NotComparable extends Error {}

function asked(condition: Condition, met: (name: string) => void = () => {}): Asked {
  const { field, operator, value } = condition;
  const deviation = deviations.find(({ applies }) => applies(condition));
  if (deviation) {
    met(deviation.name);
    if (!deviation.ask) throw new NotComparable(deviation.name);
    return deviation.ask(condition);
  }
  return { [field]: operator === 'near' || operator === 'is' ? value : { [operator]: value } };
}

/** Rewrites a `where` for LoopBack and calls `met` with the name of every deviation. */
export function askedOfLoopBack(where: Record<string, unknown>, met: (name: string) => void): Asked {
  const parts = Object.entries(where).map(([key, value]): Asked => {
    if (key === 'and' || key === 'or' || key === 'nor') {
      const list = (value as Record<string, unknown>[]).map((one) => askedOfLoopBack(one, met));
      if (key !== 'nor') return { [key]: list };
      met(norGroup);
      return { others: { or: list } };
    }
    if (isObject(value) && 'near' in value) return asked({ field: key, operator: 'near', value }, met);
    if (!isClause(value)) return asked({ field: key, operator: 'is', value }, met);
    const clauses = Object.entries(value).map(([operator, inside]) =>
      asked({ field: key, operator, value: inside }, met),
    );
    if (clauses.length === 1) return clauses[0]!;
    met(severalOperators);
    return { and: clauses };
  });
  return parts.length === 1 ? parts[0]! : { and: parts };
}

function isClause(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !('lat' in value) && !('a' in value);
}

function asRegExp(text: string): RegExp {
  const delimited = /^\/(.+)\/([a-z]*)$/.exec(text);
  return delimited ? new RegExp(delimited[1]!, delimited[2]) : new RegExp(text);
}
