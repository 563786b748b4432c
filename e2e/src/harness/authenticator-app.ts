import { TOTP } from 'otpauth';

const STEP_MS = 30_000;

/** An authenticator app: the code for now, or for some steps later. The server takes codes one step off. */
export const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + steps * STEP_MS });
