/**
 * What a state keeps of fences and triggers, by their ids. Such an object never changes, and mostly the next state has
 * the very same one, so what follows from it is worked out once. Looking through it is dear: its keys are numbers, for
 * which the runtime has a list with a place for every number up to the largest.
 */
type ById<Value> = Readonly<Record<string, Value>>;

interface Waiting {
  readonly due?: number;
  readonly pending?: { readonly due: number };
}

interface Digest {
  readonly ids: readonly number[];
  /** When the clock alone will change one of them; infinite where it won't. */
  readonly due: number;
  text?: string;
}

const digests = new WeakMap<ById<Waiting>, Digest>();

function digestOf(byId: ById<Waiting>): Digest {
  const known = digests.get(byId);
  if (known) return known;
  const ids: number[] = [];
  let due = Number.POSITIVE_INFINITY;
  for (const id in byId) {
    const one = byId[id]!;
    ids.push(Number(id));
    due = Math.min(due, one.due ?? one.pending?.due ?? Number.POSITIVE_INFINITY);
  }
  const made = { ids, due };
  digests.set(byId, made);
  return made;
}

export const idsOf = (byId: ById<Waiting>) => digestOf(byId).ids;
export const earliestDue = (byId: ById<Waiting>) => digestOf(byId).due;

/** As `JSON.stringify` has it. */
export function textById(byId: ById<Waiting>): string {
  const digest = digestOf(byId);
  digest.text ??= `{${digest.ids.map((id) => `"${id}":${JSON.stringify(byId[id])}`).join(',')}}`;
  return digest.text;
}

/** Mostly nothing changes, and then nothing is copied. */
export function withValue<Value>(byId: ById<Value>, id: number, value: Value): ById<Value> {
  return byId[id] === value ? byId : { ...byId, [id]: value };
}

export function without<Value>(byId: ById<Value>, id: number): ById<Value> {
  if (byId[id] === undefined) return byId;
  const { [id]: _, ...others } = byId;
  return others;
}
