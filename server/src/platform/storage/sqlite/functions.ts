import { createRequire } from 'node:module';
import type { DatabaseSync } from 'node:sqlite';
import type { RE2JS } from 're2js';
import { recentlyUsed } from '../recently-used.ts';

/** Throws when the time of the running statement is over. */
export type DeadlineCheck = () => void;

/** Registers the SQL functions that every connection needs, so that a query means the same on each of them. */
export function registerFunctions(connection: DatabaseSync, checkDeadline: DeadlineCheck = () => {}): void {
  // It must stay non-deterministic: SQLite calls a deterministic function without arguments once per statement, not
  // once per row. It must also come before the other terms of a WHERE: a term is not evaluated once another is false.
  connection.function('within_deadline', () => {
    checkDeadline();
    return 1;
  });
  const pure = { deterministic: true };
  connection.function('text_lower', pure, textLower);
  connection.function('json_equal', pure, jsonEqual);
  connection.function('re2_match', pure, re2Match);
}

type Value = string | number | bigint | Uint8Array | null;

function textLower(text: Value): string | null {
  return text === null ? null : String(text).toLowerCase();
}

function jsonEqual(a: Value, b: Value): number | null {
  if (a === null || b === null) return null;
  return a === b || sameJson(JSON.parse(String(a)), JSON.parse(String(b))) ? 1 : 0;
}

/** Compares values, not spelling: `{"a":1,"b":2}` equals `{"b":2.0,"a":1}`. */
function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]));
}

function re2Match(pattern: Value, flags: Value, text: Value): number {
  if (pattern === null || text === null) return 0;
  return compiled(`${flags ?? ''}/${pattern}`).test(String(text)) ? 1 : 0;
}

/** The key is the flags, a slash and the pattern: flags are letters, so the first slash ends them. */
const compiled = recentlyUsed(64, (key) => {
  const { RE2JS } = loadRe2();
  const slash = key.indexOf('/');
  const flags = key.slice(0, slash).includes('i') ? RE2JS.CASE_INSENSITIVE : 0;
  return RE2JS.compile(key.slice(slash + 1), flags);
});

/** Loading takes 8 ms, and most connections never need it. SQL functions cannot await an `import()`. */
function loadRe2(): { RE2JS: typeof RE2JS } {
  return createRequire(import.meta.url)('re2js');
}
