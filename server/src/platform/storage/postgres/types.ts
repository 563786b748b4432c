/** PostgreSQL's type ids. */
const BOOL = 16;
const NUMBERS = new Set([20 /* int8 */, 21 /* int2 */, 23 /* int4 */, 700 /* float4 */, 701 /* float8 */, 1700]);

/**
 * Cells are returned as SQLite returns them: numbers as numbers, booleans as 0 or 1, everything else, including JSON,
 * as text.
 */
export const cellTypes = {
  getTypeParser(type: number): (text: string) => string | number {
    if (NUMBERS.has(type)) return Number;
    if (type === BOOL) return (text) => (text === 't' ? 1 : 0);
    return (text) => text;
  },
};
