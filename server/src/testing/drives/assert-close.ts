import assert from 'node:assert/strict';

/** The same but for the last digits: sums are added up in another order. */
export function assertClose(actual: unknown, expected: unknown, what: string): void {
  if (typeof actual === 'number' && typeof expected === 'number') {
    const error = Math.abs(actual - expected);
    assert.ok(error <= 1e-6 + 1e-9 * Math.abs(expected), `${what} is ${actual} instead of ${expected}`);
  } else if (typeof actual === 'object' && actual !== null && typeof expected === 'object' && expected !== null) {
    assert.deepEqual(Object.keys(actual), Object.keys(expected), what);
    for (const [key, value] of Object.entries(expected))
      assertClose((actual as Record<string, unknown>)[key], value, `${what}.${key}`);
  } else assert.equal(actual, expected, what);
}
