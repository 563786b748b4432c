import { type Call, JsonText } from '../calls.ts';
import type { Collection, ListRequest, Scope } from '../platform/collection.ts';
import { badRequest } from '../platform/errors.ts';
import type { Row } from '../platform/storage/shape.ts';
import { childNotFound } from '../refusals.ts';

/** What every family of things does alike: list, count, read and delete within a scope. */

export const children = (column: string, parent: number): Scope => ({ sql: `"${column}" = ?`, cells: [parent] });

export const requestOf = (call: Call): ListRequest => ({
  query: call.query,
  now: call.now,
  owner: `user:${call.caller.userId}`,
});

export interface Family {
  readonly name: string;
  readonly rows: Collection;
  scope(call: Call): Scope;
}

export async function listOf({ rows, scope }: Family, call: Call): Promise<JsonText> {
  return new JsonText(await rows.list(scope(call), requestOf(call)));
}

export async function countOf({ rows, scope }: Family, call: Call): Promise<{ count: number }> {
  return { count: await rows.count(scope(call), requestOf(call)) };
}

export async function rowOf({ name, rows, scope }: Family, call: Call): Promise<Row> {
  const row = await rows.find(scope(call), call.key);
  if (row === undefined) throw childNotFound(name, call.key);
  return row;
}

// biome-ignore lint/suspicious/noExplicitAny: the answer's type is the contract's to say, per operation.
export type Shown = any;

export async function readOf({ name, rows, scope }: Family, call: Call): Promise<JsonText> {
  const text = await rows.text(scope(call), call.key);
  if (text === undefined) throw childNotFound(name, call.key);
  return new JsonText(text);
}

export async function removeOf(family: Family, call: Call): Promise<undefined> {
  await rowOf(family, call);
  await family.rows.remove(call.key);
  return undefined;
}

export async function removeAllOf({ rows, scope }: Family, call: Call): Promise<undefined> {
  await rows.removeAll(scope(call));
  return undefined;
}

/** Keys that never move: a body may repeat them, spelled as it likes, but not change them. */
export function refuseMoved(sent: Readonly<Record<string, unknown>>, fixed: Record<string, number | null>): void {
  for (const [field, value] of Object.entries(fixed)) {
    if (!Object.hasOwn(sent, field) || sent[field] === null || sent[field] === undefined) continue;
    const given = sent[field];
    const same = (typeof given === 'number' || typeof given === 'string') && given !== '' && Number(given) === value;
    if (!same) throw badRequest(`${field} cannot be changed: it is ${value}`);
  }
}
