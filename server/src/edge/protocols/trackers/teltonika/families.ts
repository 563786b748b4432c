import type { IoValue } from './records.ts';

/** Numbers that only the professional family sends in this width. */
const TELLTALES = new Map([
  [4, 4],
  [17, 4],
  [20, 2],
  [29, 2],
  [69, 2],
  [86, 4],
  [89, 2],
  [104, 4],
  [113, 4],
  [205, 4],
  [236, 2],
]);

/**
 * Whether a device is of the professional family (FMB640, FMC650, FM6300 …): by its model, or else by the widths of its
 * values, since the family gives numbers of others another meaning.
 */
export const isProfessional = (model: string | undefined, io: readonly IoValue[]) =>
  model === undefined
    ? io.some(({ id, bytes, isVariable }) => !isVariable && TELLTALES.get(id) === bytes.length)
    : /^FM[A-Z]?6/i.test(model);
