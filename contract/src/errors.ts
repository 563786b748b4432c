/** The errors of the API: status, stable code for programs, and public message. */
export const ERRORS = {
  authorizationRequired: { status: 401, code: 'AUTHORIZATION_REQUIRED', message: 'Authorization Required' },
  invalidToken: { status: 401, code: 'INVALID_TOKEN', message: 'The access token has expired: log in again' },
  accessDenied: { status: 403, code: 'ACCESS_DENIED', message: 'Access Denied' },
  outOfScope: { status: 403, code: 'OUT_OF_SCOPE', message: 'This token is limited and does not allow this' },
  deviceInactive: {
    status: 403,
    code: 'DEVICE_INACTIVE',
    message: 'This device is inactive: keep the report, and send it again once its owner has activated the device',
  },
  freshSignInRequired: {
    status: 403,
    code: 'FRESH_SIGN_IN_REQUIRED',
    message: 'Sign in again, or send your password: the last sign-in is more than 15 minutes ago',
  },
  secondFactorRequired: {
    status: 401,
    code: 'SECOND_FACTOR_REQUIRED',
    message: 'A second factor is required: send `code` of the authenticator app, or a recovery code',
  },
  secondFactorMissing: {
    status: 403,
    code: 'SECOND_FACTOR_REQUIRED',
    message: 'A second factor is required: send `code` of the authenticator app, a recovery code, or sign in again',
  },
  secondFactorFailed: {
    status: 401,
    code: 'SECOND_FACTOR_FAILED',
    message: 'The code is wrong, or was used before',
  },
  secondFactorDemanded: {
    status: 403,
    code: 'SECOND_FACTOR_DEMANDED',
    message: 'Admins of this server need a second factor: set one up in the console, under Settings',
  },
  passwordNotUsed: {
    status: 401,
    code: 'PASSWORD_NOT_USED',
    message: 'This account signs in by OpenID Connect, not with a password',
  },
  loginFailed: { status: 401, code: 'LOGIN_FAILED', message: 'login failed' },
  usernameOrEmailRequired: { status: 400, code: 'USERNAME_EMAIL_REQUIRED', message: 'username or email is required' },
  modelNotFound: { status: 404, code: 'MODEL_NOT_FOUND', message: 'Unknown "{model}" id "{id}".' },
  quotaExceeded: {
    status: 403,
    code: 'QUOTA_EXCEEDED',
    message: 'You may have at most {most} {things}: delete some, or ask an admin',
  },
  triggerOfRule: {
    status: 409,
    code: 'TRIGGER_OF_RULE',
    message: 'This trigger follows rule {id}, “{name}”: change or delete the rule',
  },
  tooManyRequests: { status: 429, code: 'TOO_MANY_REQUESTS', message: 'Too many requests: try again in {seconds} s' },
  mqttNotConfigured: { status: 503, code: 'MQTT_NOT_CONFIGURED', message: 'MQTT is not configured' },
  idempotencyKeyReused: {
    status: 422,
    code: 'IDEMPOTENCY_KEY_REUSED',
    message: 'This Idempotency-Key was used with another body: use a new key',
  },
  idempotencyKeyInUse: {
    status: 409,
    code: 'IDEMPOTENCY_KEY_IN_USE',
    message: 'A request with this Idempotency-Key is in progress: try again in 1 s',
  },
} as const;

/** The error body of version 1. Version 2 returns `{code, message}`, and for some codes `reason`. */
export interface ErrorBody {
  error: { statusCode: number; name: string; message: string; code?: string; details?: unknown; requestId?: string };
}
