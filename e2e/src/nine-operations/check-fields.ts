import assert from 'node:assert/strict';
import type { Fields } from './published-fields.ts';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

const TYPES: Record<string, (value: unknown) => boolean> = {
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  string: (value) => typeof value === 'string',
  time: (value) => typeof value === 'string' && TIME.test(value),
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  place: (value) => {
    const { lat, lng, ...rest } = value as Record<string, unknown>;
    return typeof lat === 'number' && typeof lng === 'number' && Object.keys(rest).length === 0;
  },
  any: () => true,
};

/** Every field of the list must be present, null only if allowed, and no other field except `more`. */
export function checkFields(shown: Record<string, unknown>, fields: Fields, more: readonly string[] = []): void {
  assert.deepEqual(Object.keys(shown).sort(), [...Object.keys(fields), ...more].sort());
  for (const [name, said] of Object.entries(fields)) {
    const value = shown[name];
    const neverNull = said.endsWith('!');
    if (value === null) assert.ok(!neverNull, `${name} is never null`);
    else assert.ok(TYPES[said.replace('!', '')]!(value), `${name} is ${JSON.stringify(value)}, not ${said}`);
  }
}
