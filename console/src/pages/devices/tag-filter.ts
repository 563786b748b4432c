/** Filters by tags: `depot:north`, a label, or `depot:*` for any value. */

const nameOf = (tag: string) => tag.split(':', 1)[0]!;
const ANY = ':*';

/** Values of the same name are alternatives; different names must all match. */
export function fitsTags(tags: readonly string[], wanted: readonly string[]): boolean {
  const byName = Map.groupBy(wanted, nameOf);
  return [...byName].every(([name, those]) =>
    tags.some((tag) => nameOf(tag) === name && those.some((one) => one === tag || one === `${name}${ANY}`)),
  );
}

const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** The available filters: each tag, and each name with several values. */
export function tagChoices(all: Iterable<{ readonly tags: readonly string[] }>): string[] {
  const tags = new Set<string>();
  for (const device of all) for (const tag of device.tags) tags.add(tag);
  const several = [...Map.groupBy(tags, nameOf)].filter(([, those]) => those.length > 1);
  return [...tags, ...several.map(([name]) => name + ANY)].sort(names.compare);
}

/** The name of a filter for any value; undefined for a single tag. */
export const anyOf = (wanted: string): string | undefined =>
  wanted.endsWith(ANY) ? wanted.slice(0, -ANY.length) : undefined;
