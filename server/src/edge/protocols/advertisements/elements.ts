import type { AdvertisementElement } from './advertisement.ts';

/** Splits an advertisement into its elements: a length, a type, data. Undefined if the lengths do not add up. */
export function elementsOf(advertisement: Buffer): AdvertisementElement[] | undefined {
  const elements: AdvertisementElement[] = [];
  let at = 0;
  while (at < advertisement.length) {
    const length = advertisement[at]!;
    // A length of zero ends the elements; padding follows.
    if (length === 0) return advertisement.subarray(at).every((byte) => byte === 0) ? elements : undefined;
    const end = at + 1 + length;
    if (end > advertisement.length) return undefined;
    elements.push({ type: advertisement[at + 1]!, data: advertisement.subarray(at + 2, end) });
    at = end;
  }
  return elements;
}
