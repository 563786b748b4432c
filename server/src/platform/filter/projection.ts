import type { TableShape } from '../storage/shape.ts';
import { bounds, checkKey, refuse } from './bounds.ts';
import type { FilterFields } from './fields.ts';
import { flagOf, isObject, listOf } from './value.ts';

/** Reads the part of the shape that `fields` asks for: a name, a list of names, `{name: true}` or `{name: false}`. */
export function readProjection(value: unknown, { shape }: FilterFields, loose: boolean): TableShape {
  if (value === undefined || value === null || value === '') return shape;
  const names = typeof value === 'string' ? [value] : listOf(value, loose);
  if (names) {
    if (names.length > bounds.list) refuse('fields', `a list may have at most ${bounds.list} names`);
    for (const name of names) {
      if (typeof name !== 'string') refuse('fields', 'must be a list of names');
      checkKey('fields', name);
    }
    return names.length === 0 ? shape : shape.filter(({ name }) => names.includes(name));
  }
  if (!isObject(value)) refuse('fields', 'must be a list of names, or an object of names and true or false');
  const wanted = new Map(Object.keys(value).map((name) => [name, flagOf(value[name], `fields.${name.slice(0, 60)}`)]));
  const some = [...wanted.values()].includes(true);
  return shape.filter(({ name }) => (some ? wanted.get(name) === true : wanted.get(name) !== false));
}
