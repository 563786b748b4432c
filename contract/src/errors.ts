/** The errors of the API: status, stable code for programs, and public message. */
export const ERRORS = {
  authorizationRequired: { status: 401, code: 'AUTHORIZATION_REQUIRED', message: 'Authorization Required' },
  invalidToken: { status: 401, code: 'INVALID_TOKEN', message: 'The access token has expired: log in again' },
  accessDenied: { status: 403, code: 'ACCESS_DENIED', message: 'Access Denied' },
  outOfScope: { status: 403, code: 'OUT_OF_SCOPE', message: 'This token is limited and does not allow this' },
  freshSignInRequired: {
    status: 403,
    code: 'FRESH_SIGN_IN_REQUIRED',
    message: 'Sign in again, or send your password: the last sign-in is more than 15 minutes ago',
  },
  loginFailed: { status: 401, code: 'LOGIN_FAILED', message: 'login failed' },
  usernameOrEmailRequired: { status: 400, code: 'USERNAME_EMAIL_REQUIRED', message: 'username or email is required' },
  modelNotFound: { status: 404, code: 'MODEL_NOT_FOUND', message: 'Unknown "{model}" id "{id}".' },
  tooManyRequests: { status: 429, code: 'TOO_MANY_REQUESTS', message: 'Too many requests: try again in {seconds} s' },
  idempotencyKeyReused: {
    status: 422,
    code: 'IDEMPOTENCY_KEY_REUSED',
    message: 'This Idempotency-Key was used with another body: take a new key',
  },
  idempotencyKeyInUse: {
    status: 409,
    code: 'IDEMPOTENCY_KEY_IN_USE',
    message: 'A request with this Idempotency-Key is under way: try again in 1 s',
  },
} as const;

/** The error body of version 1. Version 2 returns `{code, message}`, and for some codes `reason`. */
export interface ErrorBody {
  error: { statusCode: number; name: string; message: string; code?: string; details?: unknown };
}
