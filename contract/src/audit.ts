/** What the audit trail records, by the name of the action, in the words the console shows. */
export const AUDIT_ACTIONS = {
  'session.started': 'Signed in',
  'session.failed': 'Failed to sign in',
  'session.ended': 'Signed out',
  'secondFactor.enabled': 'Set up an authenticator app',
  'secondFactor.removed': 'Removed the authenticator app',
  'secondFactor.reset': 'Removed the second factor of a user',
  'recoveryCodes.created': 'Created new recovery codes',
  'passkey.created': 'Created a passkey',
  'passkey.deleted': 'Deleted a passkey',
  'openid.linked': 'Linked an account to an OpenID Connect provider',
  'serviceAccount.created': 'Created a service account',
  'serviceToken.created': 'Created a token of a service account',
  'serviceToken.revoked': 'Revoked a token of a service account',
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;
