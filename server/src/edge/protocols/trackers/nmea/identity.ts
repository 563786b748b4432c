/** Lines that say nothing but who speaks. */
const LINES: readonly RegExp[] = [
  /^\$?IMEI[ =:,]*(\w{6,20})\s*$/i,
  /^([0-9A-F]{6,20})$/,
  /^\$(?:PGID|DEVID|GPFID|PSIWMDID),(\w{4,40})(?:\*[0-9A-F]{2})?$/,
  /^\$(?:PCPTI|CONNECT),(\w{4,40}),/,
];

export const identityLine = (line: string): string | undefined =>
  LINES.map((pattern) => pattern.exec(line)?.[1]).find((id) => id !== undefined);

/** A sentence, and the number that some put before it on the same line: `123456789$GPRMC,…`, `…/123456789/$GPRMC,…`. */
export function sentenceOf(line: string): { readonly id?: string; readonly sentence: string } {
  const at = line.indexOf('$');
  if (at <= 0) return { sentence: line };
  const [, id] = /(?:^|\/)([\w-]{4,40})[,/]?$/.exec(line.slice(0, at)) ?? [];
  return { ...(id === undefined ? {} : { id }), sentence: line.slice(at) };
}
