/** A tag is `name:value`, or a name alone: its value is empty then. */
export function partsOf(tag: string): { readonly name: string; readonly value: string } {
  const [name] = tag.split(':', 1) as [string];
  return { name, value: tag.slice(name.length + 1) };
}

/** As the server stores them: one value for a name. */
export function changedTags(tags: readonly string[], name: string, value: string): string[] {
  const tag = value === '' ? name : `${name}:${value}`;
  const isThere = tags.some((one) => partsOf(one).name === name);
  return isThere ? tags.map((one) => (partsOf(one).name === name ? tag : one)) : [...tags, tag];
}

/** The devices that have a tag. */
export const tagHref = (tag: string) => `/devices?tag=${encodeURIComponent(tag)}`;
