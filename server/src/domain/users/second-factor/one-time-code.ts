import { Secret, TOTP } from 'otpauth';

/** Codes of an authenticator app: RFC 6238 with the parameters that every app knows. */
const PERIOD_S = 30;
const FORM = { issuer: 'Trackway', algorithm: 'SHA1', digits: 6, period: PERIOD_S };
/** A code is good one step before and after its own, since clocks differ. */
const WINDOW = 1;

export const newTotpSecret = (): string => new Secret({ size: 20 }).base32;

/** What the QR code for the app holds. */
export const otpauthUri = (secret: string, account: string): string =>
  new TOTP({ ...FORM, label: account, secret }).toString();

/** The time step whose code this is; undefined for a wrong code, or one of a step that is used up. */
export function stepOfCode(secret: string, code: string, now: number, lastStep: number): number | undefined {
  // Of other texts of this length, the library compares bytes that differ in number, and throws.
  if (!/^\d{6}$/.test(code)) return undefined;
  const delta = new TOTP({ ...FORM, secret }).validate({ token: code, timestamp: now, window: WINDOW });
  if (delta === null) return undefined;
  const step = Math.floor(now / 1000 / PERIOD_S) + delta;
  return step > lastStep ? step : undefined;
}
