/** A tag is `name:value`, or a name alone with an empty value. */
export function partsOf(tag: string): { readonly name: string; readonly value: string } {
  const [name] = tag.split(':', 1) as [string];
  return { name, value: tag.slice(name.length + 1) };
}

/** Like the server: one value per name. */
export function changedTags(tags: readonly string[], name: string, value: string): string[] {
  const tag = value === '' ? name : `${name}:${value}`;
  const isThere = tags.some((one) => partsOf(one).name === name);
  return isThere ? tags.map((one) => (partsOf(one).name === name ? tag : one)) : [...tags, tag];
}

/** The list of devices with a tag. */
export const tagHref = (tag: string) => `/devices?tag=${encodeURIComponent(tag)}`;
