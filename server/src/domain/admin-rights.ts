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
  user: { readonly admin: number; readonly hasSecondFactor: number; readonly userKind: 'person' | 'service' },
  policy: AdminPolicy,
): { readonly admin: boolean; readonly lacksSecondFactor?: true } {
  if (user.admin === 0) return { admin: false };
  // A program cannot give a second factor: whoever made it an admin has given theirs.
  const isSpared = user.userKind === 'service' || user.hasSecondFactor !== 0;
  if (policy.needsSecondFactor && !isSpared) return { admin: false, lacksSecondFactor: true };
  return { admin: true };
}
