/** What the audit trail records, by the name of the action, in the words the console shows. */
export const AUDIT_ACTIONS = {
  'session.started': 'Signed in',
  'session.failed': 'Failed to sign in',
  'session.ended': 'Signed out',
  'share.created': 'Shared a device',
  'share.changed': 'Changed a share',
  'share.ended': 'Ended a share',
  'share.left': 'Left a shared device',
  'email.changed': 'Changed an e-mail address',
  'email.confirmed': 'Confirmed an e-mail address',
  'password.forgotten': 'Asked for a new password by mail',
  'password.reset': 'Set a new password by mail',
  'invitation.sent': 'Invited a person',
  'invitation.ended': 'Revoked an invitation',
  'invitation.accepted': 'Accepted an invitation',
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;
