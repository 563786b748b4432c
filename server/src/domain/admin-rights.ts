/** Whether an admin needs a second factor to act as one. */
export interface AdminPolicy {
  readonly needsSecondFactor: boolean;
}

export const ADMINS_AS_THEY_ARE: AdminPolicy = { needsSecondFactor: false };

/**
 * The rights of an admin, for whoever asks by whatever token: one who needs a second factor and has none is an ordinary
 * user until then.
 */
export function adminRights(
  user: { readonly admin: number; readonly hasSecondFactor: number },
  policy: AdminPolicy,
): { readonly admin: boolean; readonly lacksSecondFactor?: true } {
  if (user.admin === 0) return { admin: false };
  if (policy.needsSecondFactor && user.hasSecondFactor === 0) return { admin: false, lacksSecondFactor: true };
  return { admin: true };
}
