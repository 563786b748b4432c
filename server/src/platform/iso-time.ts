const DAY_MS = 86_400_000;
const two = (value: number) => (value < 10 ? `0${value}` : `${value}`);
const three = (value: number) => (value < 10 ? `00${value}` : value < 100 ? `0${value}` : `${value}`);

let knownDay = Number.NaN;
let knownText = '';

/**
 * ISO 8601 in UTC with milliseconds. Times in one response are usually of the same day, so the text of the last day is
 * cached.
 */
export function isoTime(at: number): string {
  const day = Math.floor(at / DAY_MS);
  if (day !== knownDay) {
    knownText = new Date(day * DAY_MS).toISOString().slice(0, -13);
    knownDay = day;
  }
  const remaining = at - day * DAY_MS;
  const seconds = Math.floor(remaining / 1000);
  const minutes = Math.floor(seconds / 60);
  const hour = Math.floor(minutes / 60);
  return `${knownText}${two(hour)}:${two(minutes % 60)}:${two(seconds % 60)}.${three(remaining % 1000)}Z`;
}
