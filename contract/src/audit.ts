/** What the audit trail records, by the name of the action, in the words the console shows. */
export const AUDIT_ACTIONS = {
  'session.started': 'Signed in',
  'session.failed': 'Failed to sign in',
  'session.ended': 'Signed out',
  'quarantine.released': 'Released quarantined items',
  'quarantine.discarded': 'Discarded quarantined items',
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;
