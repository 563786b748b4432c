import { bounds, checkKey, refuse } from './bounds.ts';

/** An object out of brackets has no prototype: `constructor` is a name like any other. */
type Branch = { [key: string]: unknown };

const newBranch = (): Branch => Object.create(null) as Branch;

/**
 * The object that keys like `filter[where][type]` spell. Every value is a text. A key given twice is a list, and `[]`
 * adds to one.
 */
export function readBrackets(root: string, pairs: readonly (readonly [string, string])[]): Branch {
  const tree = newBranch();
  for (const [key, value] of pairs) {
    const segments = segmentsOf(root, key);
    let branch = tree;
    for (const [i, segment] of segments.entries()) {
      const here = segment === '' ? String(Object.keys(branch).length) : segment;
      const there = Object.hasOwn(branch, here) ? branch[here] : undefined;
      if (i === segments.length - 1) branch[here] = joined(root, there, value);
      else {
        if (there === undefined) branch[here] = newBranch();
        else if (!isBranch(there)) refuse(root, 'the same key has a value and brackets');
        branch = branch[here] as Branch;
      }
    }
  }
  return tree;
}

const isBranch = (value: unknown): value is Branch => typeof value === 'object' && !Array.isArray(value);

function joined(root: string, there: unknown, value: string): unknown {
  if (there === undefined) return value;
  if (isBranch(there)) refuse(root, 'the same key has a value and brackets');
  return Array.isArray(there) ? [...there, value] : [there, value];
}

function segmentsOf(root: string, key: string): string[] {
  const inside = key.slice(root.length);
  if (!/^(?:\[[^[\]]*\])+$/.test(inside)) refuse(root, 'its brackets do not pair up');
  const segments = inside.slice(1, -1).split('][');
  if (segments.length > bounds.brackets) refuse(root, `may be nested at most ${bounds.nesting} deep`);
  for (const segment of segments) checkKey(root, segment);
  if (segments[0] === '') refuse(root, 'its first brackets are empty');
  return segments;
}
