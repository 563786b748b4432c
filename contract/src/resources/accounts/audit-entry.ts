import { Type } from 'typebox';
import { AUDIT_ACTIONS } from '../../audit.ts';
import { count, list, operation } from '../../operation.ts';
import { id, integer, key, noun, object, text, time } from '../../schema.ts';

/** An entry of the audit trail. Entries outlive the users and devices that they refer to. */
export const auditEntry = noun(
  'auditEntry',
  {
    id: id(),
    at: time('When it happened. For several failures: the last one.', { readOnly: true }),
    action: text(`What happened: ${AUDIT_ACTIONS.join(', ')}.`, { readOnly: true }),
    actorId: key('Id of the user who did it. Null without a signed-in user.', { readOnly: true }),
    actor: text('E-mail address that was given at a failed sign-in, if it belongs to no account.', { readOnly: true }),
    tokenId: key('Id of the session or token it was done with.', { readOnly: true }),
    address: text(
      'IP address it came from. Users see their own addresses, and addresses of failed sign-ins to their account.',
      {
        readOnly: true,
      },
    ),
    userId: key('Id of the user whose account or device it concerns.', { readOnly: true }),
    deviceId: key('Id of the device it concerns.', { readOnly: true }),
    detail: object('What was changed. Never contains secrets.', { readOnly: true }),
    count: integer('Number of times it happened. Failures of one account and address within a minute share an entry.', {
      readOnly: true,
    }),
  },
  { always: ['at', 'action', 'count'] },
);

const entries = '/auditEntries';

export const auditOperations = {
  listAuditEntries: list(auditEntry, entries, 'user', {
    summary: 'List the audit trail',
    description:
      'Admins see all entries. Other users see their own actions, and actions that affect their account or devices. Entries are kept for 400 days unless the operator has set another time.',
  }),
  countAuditEntries: count(auditEntry, entries, 'user'),
  exportAuditEntries: operation('GET', `${entries}/export`, 'user', {
    summary: 'Export the audit trail as CSV',
    description: 'The same entries as in the list, the oldest first. The export itself is recorded.',
    query: {
      from: time('Entries at this time or later. Defaults to 30 days ago.'),
      to: time('Entries before this time. Defaults to now.'),
    },
    answer: Type.String({ description: 'CSV with a header line.' }),
    media: 'text',
    mediaTypes: ['text/csv'],
    example: {
      answer:
        'id,at,action,actorId,actor,tokenId,address,userId,deviceId,count,detail\r\n3,2026-06-01T12:00:00.000Z,device.created,1,,9,203.0.113.7,1,7,1,\r\n',
    },
  }),
};
