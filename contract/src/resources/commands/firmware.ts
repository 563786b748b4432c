import { Type } from 'typebox';
import { operation } from '../../operation.ts';
import { integer, noun, text } from '../../schema.ts';

const nullableText = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const nullableInteger = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

const v2 = { versions: ['v2'] as const };

const current = Type.Object(
  {
    build: nullableText('Firmware the device runs, as it reported it.'),
    channel: nullableText('Channel it is updated from. Null: the default one.'),
  },
  { title: 'device firmware' },
);

export const AVAILABILITIES = [0, 2, 4, 6, 9] as const;

const request = noun(
  'firmware update',
  {
    build: text('Build to install, or `latest`.', { minLength: 1, maxLength: 100 }),
    channel: text('Channel to take it from.', { minLength: 1, maxLength: 100 }),
    availability: integer('How urgent it is: 0 none, 2 minor, 4 major, 6 critical, 9 force.', {
      minimum: 0,
      maximum: 9,
    }),
  },
  { sentAs: 'firmware update' },
);

const taken = Type.Object(
  {
    build: nullableText('Build to install.'),
    channel: nullableText('Channel to take it from.'),
    availability: nullableInteger('How urgent it is.'),
  },
  { title: 'firmware update request' },
);

const pending = Type.Object(
  {
    pending: nullableInteger('Pending build, if it is a number.'),
    pendingName: nullableText('Pending build, if it is not a number.'),
    pendingReason: nullableText('`requested` while an update is pending.'),
    request: nullableInteger('Requested build, if it is a number.'),
    updateAvailability: Type.Integer({
      description: 'How urgent it is: 0 none, 2 minor, 4 major, 6 critical, 9 force.',
    }),
    updateRedirects: Type.Integer({ description: 'How often the device was notified of it.' }),
    _forceFW: Type.Boolean({ description: 'Whether the device must install it.' }),
  },
  { title: 'pending firmware update' },
);

const path = '/devices/{id}/firmware/update';

export const firmwareOperations = {
  getCurrentFirmware: operation('GET', '/devices/{id}/firmware/current', 'view', {
    ...v2,
    summary: 'Get the firmware of a device',
    answer: current,
    example: { answer: { build: '1204', channel: null } },
  }),
  getFirmwareUpdate: operation('GET', path, 'view', {
    ...v2,
    summary: 'Get the pending firmware update of a device',
    description: 'All null and 0 once the device runs the requested build.',
    answer: pending,
    example: {
      answer: {
        pending: 1205,
        pendingName: null,
        pendingReason: 'requested',
        request: 1205,
        updateAvailability: 4,
        updateRedirects: 0,
        _forceFW: false,
      },
    },
  }),
  requestFirmwareUpdate: operation('POST', path, 'manage', {
    ...v2,
    summary: 'Request a firmware update of a device',
    description:
      'At least one field is needed. The device gets it with its configuration. Builds and channels are names that its own update service knows.',
    body: { noun: request, mode: 'update' },
    answer: taken,
    example: {
      body: { build: '1205', availability: 4 },
      answer: { build: '1205', channel: null, availability: 4 },
    },
  }),
  cancelFirmwareUpdate: operation('DELETE', path, 'manage', {
    ...v2,
    summary: 'Cancel the firmware update of a device',
    description: 'Also succeeds if none is pending.',
    answer: Type.String({ description: '`ok`.' }),
    example: { answer: 'ok' },
  }),
};
