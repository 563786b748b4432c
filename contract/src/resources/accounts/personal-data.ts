import { Type } from 'typebox';
import { answerOf, operation } from '../../operation.ts';
import { id, integer, list, noun, object, text, time } from '../../schema.ts';
import { proofCode } from './user.ts';

const copy = Type.Object(
  {
    kind: Type.Enum(['archive', 'backup'], { title: 'copy kind', description: '`archive` or `backup`.' }),
    place: Type.String({ description: 'Folder or file.' }),
    machine: Type.String({ description: 'Name of the machine.' }),
    updated: Type.String({ format: 'date-time', description: 'When it was last written.' }),
  },
  { title: 'data copy' },
);

export const erasure = noun(
  'erasure',
  {
    id: id(),
    kind: Type.Enum(['device', 'user'], { title: 'erased kind', description: '`device`, or `user` for an account.' }),
    subjectId: integer('Id of the device or user that was erased.'),
    requestedAt: time('When it was requested.'),
    requestedBy: integer('Id of the user who requested it. Null for the operator of the server.'),
    completedAt: time('When it was completed. Null while it is in progress; the server completes it automatically.'),
    rows: object('How many rows were erased, by table.'),
    deviceIds: list(Type.Integer(), 'Ids of the devices that were erased.'),
    copies: list(copy, 'Archives and backups that may still hold the data, as far as the server knows of them.'),
    record: text('The signed JSON text. Null while the erasure is in progress.'),
    signature: text('Ed25519 signature of `record`, in Base64.'),
    publicKey: text('Public key of this installation, as Base64 of its SPKI form.'),
  },
  { always: ['kind', 'subjectId', 'requestedAt', 'rows', 'deviceIds', 'copies'] },
);

const proof = {
  password: text('Password of the caller. Required unless the caller signed in within the last 15 minutes.', {
    maxLength: 256,
  }),
  code: proofCode,
};
const deviceConfirmation = noun(
  'erasure',
  {
    name: text('Name of the device, to confirm. The id for a device without a name.', { maxLength: 1000 }),
    ...proof,
  },
  { required: ['name'], sentAs: 'device erasure' },
);
const userConfirmation = noun(
  'erasure',
  {
    email: text('E-mail address of the account, to confirm.', { maxLength: 320 }),
    ...proof,
  },
  { required: ['email'], sentAs: 'account erasure' },
);

const zip = {
  answer: Type.Unsafe<Uint8Array<ArrayBuffer>>({ type: 'string', format: 'binary', description: 'The archive.' }),
  media: 'file',
  mediaTypes: ['application/zip'],
  example: { answer: 'PK…' },
} as const;

const record = {
  kind: 'device',
  subjectId: 7,
  requestedAt: '2026-06-01T12:00:00.000Z',
  requestedBy: 1,
  completedAt: '2026-06-01T12:00:01.000Z',
  rows: { points: 86_400, trips: 31, devices: 1 },
  deviceIds: [7],
  copies: [{ kind: 'backup', place: '/backups/monday.db', machine: 'server', updated: '2026-05-25T03:00:00.000Z' }],
  record: '{"format":"trackway-erasure","version":1,"erasure":3,"kind":"device","subject":7}',
  signature: 'c2lnbmF0dXJl',
  publicKey: 'cHVibGljIGtleQ==',
};

export const personalDataOperations = {
  exportDeviceData: operation('GET', '/devices/{id}/data', 'own', {
    summary: 'Export everything about a device',
    description:
      'A ZIP archive of everything stored about the device: JSON Lines for each kind of data, and its track as GPX. Secrets and data about other users are omitted. The size is not limited.',
    ...zip,
  }),
  exportUserData: operation('GET', '/users/{id}/data', 'self', {
    summary: 'Export everything about a user',
    description:
      'A ZIP archive of everything stored about the user and each device of the user. Secrets and data about other users are omitted. The size is not limited.',
    ...zip,
  }),
  eraseDevice: operation('POST', '/devices/{id}/erase', 'own', {
    summary: 'Erase a device',
    description:
      'Erases the device and everything about it immediately and permanently, unlike a deletion, which an admin can undo. The audit trail is kept. A sign-in within the last 15 minutes or the `password` is required; otherwise the response is 403 `FRESH_SIGN_IN_REQUIRED`. Returns a signed record, which also names archives and backups that may still hold the data. Erasing a long history continues after the response: then `completedAt` is null.',
    body: { noun: deviceConfirmation, mode: 'create' },
    answer: answerOf(erasure),
    refuses: [403, 422],
    guarded: true,
    example: { body: { name: 'Van' }, answer: { id: 3, ...record } },
  }),
  eraseUser: operation('POST', '/users/{id}/erase', 'self', {
    summary: 'Erase a user',
    description:
      'Erases the account, its devices and everything about them immediately and permanently. The audit trail is kept. A sign-in within the last 15 minutes or the `password` is required; otherwise the response is 403 `FRESH_SIGN_IN_REQUIRED`. The last admin cannot be erased.',
    body: { noun: userConfirmation, mode: 'create' },
    answer: answerOf(erasure),
    refuses: [403, 422],
    guarded: true,
    // A deleted user has no stored responses.
    isRepeatable: true,
    example: {
      body: { email: 'jo@example.com', password: 'correct horse battery' },
      answer: { id: 4, ...record, kind: 'user', subjectId: 5 },
    },
  }),
  listErasures: operation('GET', '/erasures', 'admin', {
    summary: 'List erasures',
    description: 'What was erased, newest first, with the signed records; the last 1000.',
    answer: Type.Array(answerOf(erasure)),
    example: { answer: [{ id: 3, ...record }] },
  }),
};
