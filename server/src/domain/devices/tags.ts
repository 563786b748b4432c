import { invalidField } from '../../refusals.ts';
import { lockDevices } from '../schema/lock-device.ts';
import type { Tx } from '../schema/tables.ts';
import { rulesDue } from './rules-changed.ts';

/**
 * A tag is a text `name:value`: its name stands before the first colon, its value after it. A label without a colon is a
 * name with an empty value. A device has one value for a name.
 */

const MOST_TAGS = 100;
export const MOST_TAG_CHARACTERS = 100;

export const tagName = (tag: string): string => tag.split(':', 1)[0]!;

/** Empty for a label. */
export const tagValue = (tag: string): string => tag.slice(tagName(tag).length + 1);

/** An empty value is stored as the label alone. */
export const tagOf = (name: string, value: string): string => (value === '' ? name : `${name}:${value}`);

/** The tag of a name; undefined where there is none. */
export const tagNamed = (tags: readonly string[], name: string): string | undefined =>
  tags.find((tag) => tagName(tag) === name);

/** The tags with one value for each name: the last one, in the place of the first. */
export function onePerName(tags: readonly string[]): string[] {
  const values = new Map<string, string>();
  for (const tag of tags) values.set(tagName(tag), tagValue(tag));
  return [...values].map(([name, value]) => tagOf(name, value));
}

/** Of the values sent for a device, where they name tags. */
export const withOneTagPerName = <V extends Readonly<Record<string, unknown>>>(values: V): V =>
  Array.isArray(values.tags) ? { ...values, tags: onePerName(values.tags as string[]) } : values;

export const withTag = (tags: readonly string[], tag: string): string[] => onePerName([...tags, tag]);

export const withoutTag = (tags: readonly string[], name: string): string[] =>
  tags.filter((tag) => tagName(tag) !== name);

/** The same limits as in the contract, for tags that come in parts. */
export function requireTagBounds(tags: readonly string[], field = 'tags'): void {
  if (tags.length > MOST_TAGS)
    throw invalidField('device', field, 'length', `exceeds the limit of ${MOST_TAGS} tags for a device`);
  if (tags.some((tag) => tag.length > MOST_TAG_CHARACTERS))
    throw invalidField(
      'device',
      field,
      'length',
      `must have at most ${MOST_TAG_CHARACTERS} characters, with the colon`,
    );
}

/** The tags of a device as its row stores them. */
export const tagsOf = ({ tags }: { readonly tags: string | null }): string[] =>
  tags === null ? [] : (JSON.parse(tags) as string[]);

/** A tag without a colon matches every value of its name. */
export function hasTag(device: { readonly tags: string | null }, wanted: string): boolean {
  const tags = tagsOf(device);
  return tags.includes(wanted) || (!wanted.includes(':') && tags.some((tag) => tagName(tag) === wanted));
}

/**
 * Changes the tags of devices and locks the devices until the transaction ends.
 * @param change the new tags; it may throw, and nothing is changed then
 */
export async function changeTags(
  tx: Tx,
  deviceIds: readonly number[],
  change: (tags: readonly string[]) => string[],
  now: number,
): Promise<void> {
  for (const device of await lockDevices(tx, deviceIds)) {
    const before = tagsOf(device);
    const tags = JSON.stringify(change(before));
    if (tags === JSON.stringify(before)) continue;
    await tx.updateTable('devices').set({ tags }).where('id', '=', device.id).execute();
    await rulesDue(tx, [device.id], now);
  }
}
