/**
 * Examples use 1 June 2026 and the weeks around it. They are shown as if that had been yesterday, so that a request
 * copied from the reference has no expiry in the past and reports nothing that is too old to store.
 */
const REPORTED_DAY = Date.UTC(2026, 5, 1);
const DAY_MS = 86_400_000;
const SPAN_MS = 400 * DAY_MS;

export function recent<Value>(example: Value, now = Date.now()): Value {
  const shiftMs = (Math.floor((now - REPORTED_DAY) / DAY_MS) - 1) * DAY_MS;
  const moved = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replaceAll(DATE, (date) => movedText(date, shiftMs));
    if (typeof value === 'number') return movedNumber(value, shiftMs);
    if (Array.isArray(value)) return value.map(moved);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, moved(inner)]));
  };
  return moved(example) as Value;
}

const DATE = /\b202[67]-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{3})?Z)?/g;

function movedText(date: string, shiftMs: number): string {
  const at = new Date(Date.parse(date) + shiftMs).toISOString();
  return date.includes('.') ? at : `${at.slice(0, Math.min(19, date.length))}${date.includes('T') ? 'Z' : ''}`;
}

/** Epoch milliseconds, or seconds. */
function movedNumber(value: number, shiftMs: number): number {
  if (Math.abs(value - REPORTED_DAY) < SPAN_MS) return value + shiftMs;
  return Math.abs(value * 1000 - REPORTED_DAY) < SPAN_MS ? value + shiftMs / 1000 : value;
}
