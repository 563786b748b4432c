const form =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:([Zz])|([+\- ])(\d\d):?(\d\d)))?$/;
const latest = 8.64e15;

/**
 * Epoch milliseconds of a time as the API takes it: ISO 8601 with an offset, a date (its midnight in UTC), epoch
 * milliseconds as a number or as digits. A `+` that a query string turned into a space is still a plus.
 * Undefined for anything else, so also for the 30th of February.
 */
export function parseInstant(value: unknown): number | undefined {
  if (typeof value === 'number') return Math.abs(value) <= latest ? value : undefined;
  if (typeof value !== 'string') return undefined;
  if (/^-?\d{1,17}$/.test(value)) return parseInstant(Number(value));
  const parts = form.exec(value);
  if (!parts) return undefined;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const [hour, minute, second] = [Number(parts[4] ?? 0), Number(parts[5] ?? 0), Number(parts[6] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const [offsetHours, offsetMinutes] = [Number(parts[10] ?? 0), Number(parts[11] ?? 0)];
  if (offsetHours > 23 || offsetMinutes > 59) return undefined;
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month - 1, day);
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return undefined;
  const millisecond = Number((parts[7] ?? '').padEnd(3, '0').slice(0, 3));
  const offset = (offsetHours * 60 + offsetMinutes) * (parts[9] === '-' ? -1 : 1);
  return midnight.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + millisecond;
}
