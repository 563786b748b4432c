import { take, Wrong } from '@trackway/contract/accept.ts';
import { fenceThresholds } from '@trackway/contract/resources/geofence.ts';
import { invalidField } from '../../refusals.ts';
import { ENTER_CONFIDENCE, EXIT_CONFIDENCE } from './confidence.ts';

/** When a device counts as inside or outside. Null or not set means the default. */
export type FenceThresholds = { readonly [Name in keyof typeof fenceThresholds]?: number | null };

type Meta = Readonly<Record<string, unknown>> | null;

const NAMES = Object.keys(fenceThresholds) as (keyof FenceThresholds)[];

/**
 * Moves thresholds out of `meta` into their fields. A field that was sent wins.
 * @param absent what a threshold becomes that is not in a `meta` that was sent
 */
export function withThresholds<Values extends FenceThresholds & { readonly meta?: Meta }>(
  values: Values,
  absent?: null,
): Values & FenceThresholds {
  if (values.meta === undefined) return values;
  const meta: Record<string, unknown> = { ...values.meta };
  const found: Record<string, unknown> = {};
  for (const name of NAMES) {
    const value = meta[name] === undefined ? absent : takeThreshold(name, meta[name]);
    delete meta[name];
    if (value !== undefined) found[name] = value;
  }
  const all = { ...found, ...values, meta: values.meta && meta };
  if (absent === null && !isOrdered(all))
    throw invalidField('geofence', 'meta', 'range', 'enterConfidence must be greater than exitConfidence');
  return all;
}

function takeThreshold(name: keyof FenceThresholds, sent: unknown): number {
  const taken = typeof sent === 'number' ? take(fenceThresholds[name], sent) : new Wrong('type', 'is not a number');
  if (taken instanceof Wrong) throw invalidField('geofence', 'meta', 'range', `${name} ${taken.message}`);
  return taken as number;
}

/** @param before of the stored fence, if it changes */
export function requireOrder(values: FenceThresholds, before: FenceThresholds = {}): void {
  if (!isOrdered({ ...before, ...values }))
    throw invalidField('geofence', 'enterConfidence', 'range', 'must be greater than exitConfidence');
}

const isOrdered = ({ enterConfidence, exitConfidence }: FenceThresholds) =>
  (enterConfidence ?? ENTER_CONFIDENCE) > (exitConfidence ?? EXIT_CONFIDENCE);

/** A fence as version 1 shows it: with its thresholds in `meta`. */
export function inMeta<Fence extends { readonly meta: Meta }>(
  fence: Fence & FenceThresholds,
): Omit<Fence, keyof FenceThresholds> {
  const { enterConfidence, exitConfidence, enterAfter, exitAfter, ...shown } = fence;
  const set = Object.entries({ enterConfidence, exitConfidence, enterAfter, exitAfter }).filter(
    ([, value]) => value != null,
  );
  return set.length === 0 ? shown : { ...shown, meta: { ...shown.meta, ...Object.fromEntries(set) } };
}

const COLUMNS = NAMES.map((name) => `"${name}"`).join(', ');
const PAIRS = NAMES.map((name) => `'${name}', "${name}"`).join(', ');

/** The same as the expression of a statement. */
export const META_WITH_THRESHOLDS = {
  sqlite: `CASE WHEN COALESCE(${COLUMNS}) IS NULL THEN "meta" ELSE json_patch(COALESCE("meta", '{}'), json_object(${PAIRS})) END`,
  postgres: `CASE WHEN COALESCE(${COLUMNS}) IS NULL THEN "meta"
    ELSE COALESCE("meta", '{}') || jsonb_strip_nulls(jsonb_build_object(${PAIRS})) END`,
};
