import { isObject } from '../claims.ts';

/**
 * The subset of Home Assistant's templates that most entities use: a path into the payload, and filters without side
 * effects.
 */
export interface ValuePath {
  /** Whether the payload is JSON; otherwise it is text. */
  readonly isJson: boolean;
  readonly steps: readonly string[];
  /** Digits after the decimal point. */
  readonly digits?: number;
}

export const WHOLE_TEXT: ValuePath = { isJson: false, steps: [] };

const MAX_TEMPLATE = 300;
const STEPS = String.raw`(?:\.[A-Za-z_]\w*|\[(?:'[^'\]]+'|"[^"\]]+"|\d+)\])*`;
const FILTER = String.raw`\|\s*(?:round|float|int|is_defined|tojson|default)\s*(?:\(([^()|]*)\))?`;
const TEMPLATE = new RegExp(String.raw`^\s*\{\{-?\s*(value_json|value)(${STEPS})\s*((?:${FILTER}\s*)*)-?\}\}\s*$`);
const STEP = /\.([A-Za-z_]\w*)|\['([^'\]]+)'\]|\["([^"\]]+)"\]|\[(\d+)\]/g;

/** Undefined if the template uses more than the subset; such an entity is ignored. */
export function valuePathOf(template: string): ValuePath | undefined {
  const [, root, path = '', filters = ''] = (template.length <= MAX_TEMPLATE && TEMPLATE.exec(template)) || [];
  if (root === undefined || (root === 'value' && path !== '')) return undefined;
  const steps = [...path.matchAll(STEP)].map((step) => step.slice(1).find((one) => one !== undefined)!);
  const [, rounded] = /\|\s*round\s*(?:\(\s*(\d{0,2})\s*\))?/.exec(filters) ?? [];
  const isRounded = /\|\s*round\b/.test(filters);
  return { isJson: root === 'value_json', steps, ...(isRounded && { digits: Number(rounded || 0) }) };
}

/** @param json the parsed payload, if it is JSON */
export function valueAt({ isJson, steps, digits }: ValuePath, text: string, json: unknown): unknown {
  let value = isJson ? json : text;
  for (const step of steps) {
    if (Array.isArray(value)) value = value[Number(step)];
    else if (isObject(value) && Object.hasOwn(value, step)) value = value[step];
    else return undefined;
  }
  if (digits === undefined) return value;
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? Number(number.toFixed(Math.min(digits, 20))) : value;
}
