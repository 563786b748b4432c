/** Browsers name each other in what they send, so the order matters: the first that is found is right. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bVersion\/.*Safari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** What people recognise of a User-Agent header: "Firefox on Linux", or the name of a program. */
export function agentLabel(header: string | undefined): string | null {
  if (header === undefined || header === '') return null;
  const sent = header.slice(0, 500);
  const browser = BROWSERS.find(([pattern]) => pattern.test(sent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(sent))?.[1];
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  return /^[\w.-]{1,40}/.exec(sent)?.[0] ?? null;
}
