/** What the audit trail records, by the name of the action, in the words the console shows. */
export const AUDIT_ACTIONS = {
  'session.started': 'Signed in',
  'session.failed': 'Failed to sign in',
  'session.ended': 'Signed out',
  'trigger.ended': 'Ended the trigger of another user',
  'forwarder.ended': 'Ended the forwarder of another user',
  'rights.ended': 'Lost rights, and what they had made with them',
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;
