import type { Violation } from '@trackway/contract/accept.ts';
import { ERRORS } from '@trackway/contract/errors.ts';
import { Refusal } from './platform/errors.ts';

/** The contract's error answers. */

const known = (error: keyof typeof ERRORS) =>
  new Refusal(ERRORS[error].status, ERRORS[error].message, { code: ERRORS[error].code });

export const accessDenied = () => known('accessDenied');
export const freshSignInRequired = () => known('freshSignInRequired');
/** For operations that are not allowed with personal tokens. */
export const sessionRequired = () =>
  new Refusal(ERRORS.freshSignInRequired.status, 'A personal token cannot do this: sign in', {
    code: ERRORS.freshSignInRequired.code,
  });
export const secondFactorFailed = () => known('secondFactorFailed');
export const secondFactorDemanded = () => known('secondFactorDemanded');
/** @param ways the additional factors of this user */
export const secondFactorRequired = (ways: readonly string[]) => {
  const { status, code, message } = ERRORS.secondFactorRequired;
  return new Refusal(status, message, { code, details: { ways } });
};
/** The same for a signed-in user who must authenticate again. */
export const secondFactorMissing = (ways: readonly string[]) => {
  const { status, code, message } = ERRORS.secondFactorMissing;
  return new Refusal(status, message, { code, details: { ways } });
};
export const passwordNotUsed = () => known('passwordNotUsed');
export const outOfScope = () => known('outOfScope');
export const deviceInactive = () => known('deviceInactive');
export const loginFailed = () => known('loginFailed');
export const usernameOrEmailRequired = () => known('usernameOrEmailRequired');
export const authorizationRequired = () => known('authorizationRequired');
export const invalidToken = () => known('invalidToken');

export const idempotencyKeyReused = () => known('idempotencyKeyReused');
export const idempotencyKeyInUse = () =>
  new Refusal(ERRORS.idempotencyKeyInUse.status, ERRORS.idempotencyKeyInUse.message, {
    code: ERRORS.idempotencyKeyInUse.code,
    headers: { 'retry-after': '1' },
  });

export const modelNotFound = (model: string, id: number | string) =>
  new Refusal(404, `Unknown "${model}" id "${id}".`, { code: ERRORS.modelNotFound.code });

/** The child does not exist or belongs to another parent: the answer does not reveal which. */
export const childNotFound = (name: string, id: number | string) =>
  new Refusal(404, `No instance with id ${id} found for ${name}`);

export function invalid(context: string, violations: readonly Violation[]): Refusal {
  const codes: Record<string, string[]> = {};
  const messages: Record<string, string[]> = {};
  for (const { field, code, message } of violations) {
    codes[field] = [...(codes[field] ?? []), code];
    messages[field] = [...(messages[field] ?? []), message];
  }
  const sentence = violations.map(({ field, message }) => `\`${field}\` ${message}`).join('; ');
  const end = sentence.endsWith('?') ? '' : '.';
  return new Refusal(422, `The \`${context}\` instance is not valid. Details: ${sentence}${end}`, {
    name: 'ValidationError',
    details: { context, codes, messages },
  });
}

export const quotaExceeded = (things: string, most: number) =>
  new Refusal(
    ERRORS.quotaExceeded.status,
    ERRORS.quotaExceeded.message.replace('{most}', String(most)).replace('{things}', things),
    { code: ERRORS.quotaExceeded.code, details: { most, things } },
  );

export const triggerOfRule = (id: number, name: string) =>
  new Refusal(
    ERRORS.triggerOfRule.status,
    ERRORS.triggerOfRule.message.replace('{id}', String(id)).replace('{name}', () => name),
    { code: ERRORS.triggerOfRule.code, details: { ruleId: id, name } },
  );

/** Too much of it is under way or waiting. */
export const busy = (what: string, retryAfterS: number) =>
  new Refusal(429, `Too many ${what} at once: try again in ${retryAfterS} s`, {
    code: ERRORS.tooManyRequests.code,
    headers: { 'retry-after': String(retryAfterS) },
  });

export const invalidField = (context: string, field: string, code: string, message: string) =>
  invalid(context, [{ field, code, message }]);
