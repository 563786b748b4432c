/** Models by the first digits of the version. */
const BY_TWO: ReadonlyMap<string, string> = new Map([
  ['02', 'GL200'],
  ['04', 'GV200'],
  ['06', 'GV300'],
  ['0F', 'GV55'],
  ['1A', 'GL300'],
  ['1F', 'GV500'],
  ['25', 'GV300'],
  ['27', 'GV300W'],
  ['2F', 'GV55'],
  ['30', 'GL300'],
  ['31', 'GV65'],
  ['35', 'GV200'],
  ['36', 'GV500'],
  ['41', 'GV75W'],
  ['50', 'GV55W'],
  ['5E', 'GV500MAP'],
  ['6E', 'GV310LAU'],
  ['C2', 'GV600M'],
  ['F1', 'GV350M'],
  ['F8', 'GV800W'],
  ['FC', 'GV600W'],
]);
const BY_SIX: ReadonlyMap<string, string> = new Map([['802004', 'GV58LAU']]);

export function modelOf(version: string | undefined): string | undefined {
  if (version === undefined) return undefined;
  const digits = version.toUpperCase();
  return digits.length === 10 ? BY_SIX.get(digits.slice(0, 6)) : BY_TWO.get(digits.slice(0, 2));
}
