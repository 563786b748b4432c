/**
 * What a state keeps of fences and triggers, by their ids. Such an object never changes, and mostly the next state has
 * the very same one, so what follows from it is worked out once. Looking through it is dear: its keys are numbers, for
 * which the runtime has a list with a place for every number up to the largest.
 */
export type Kept<Value> = Readonly<Record<string, Value>>;

interface Waits {
  readonly due?: number;
  readonly waiting?: { readonly due: number };
}

interface Digest {
  readonly ids: readonly number[];
  /** When the clock alone will change one of them; infinite where it won't. */
  readonly due: number;
  text?: string;
}

const digests = new WeakMap<Kept<Waits>, Digest>();

function digestOf(kept: Kept<Waits>): Digest {
  const known = digests.get(kept);
  if (known) return known;
  const ids: number[] = [];
  let due = Number.POSITIVE_INFINITY;
  for (const id in kept) {
    const waits = kept[id]!;
    ids.push(Number(id));
    due = Math.min(due, waits.due ?? waits.waiting?.due ?? Number.POSITIVE_INFINITY);
  }
  const made = { ids, due };
  digests.set(kept, made);
  return made;
}

export const idsOf = (kept: Kept<Waits>) => digestOf(kept).ids;
export const keptDue = (kept: Kept<Waits>) => digestOf(kept).due;

/** As `JSON.stringify` has it. */
export function keptText(kept: Kept<Waits>): string {
  const digest = digestOf(kept);
  digest.text ??= `{${digest.ids.map((id) => `"${id}":${JSON.stringify(kept[id])}`).join(',')}}`;
  return digest.text;
}

/** Mostly nothing changes, and then nothing is copied. */
export function withValue<Value>(kept: Kept<Value>, id: number, value: Value): Kept<Value> {
  return kept[id] === value ? kept : { ...kept, [id]: value };
}

export function without<Value>(kept: Kept<Value>, id: number): Kept<Value> {
  if (kept[id] === undefined) return kept;
  const { [id]: _, ...others } = kept;
  return others;
}
