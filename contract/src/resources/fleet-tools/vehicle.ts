import { Type } from 'typebox';
import { answerOf, operation } from '../../operation.ts';
import { flag, noun, number, text, time } from '../../schema.ts';
import { MOST_KM } from './maintenance.ts';

/** Maximum size of the photo of a vehicle. */
export const MOST_PHOTO_BYTES = 200_000;

const fields = {
  plate: text('Number plate.', { maxLength: 40 }),
  vin: text('Vehicle identification number.', { maxLength: 40 }),
  odometer: number(
    'Odometer in kilometres, now: the value that was entered, and the distance since then by the odometer that the tracker reports, else by trips. If none was entered, the odometer that the tracker reports.',
    { minimum: 0, maximum: MOST_KM },
  ),
};

/** The vehicle that a device is in. */
export const vehicle = noun(
  'vehicle',
  {
    ...fields,
    odometerAt: time('When the odometer was entered. Null if it never was.', { readOnly: true }),
    hasPhoto: flag('Whether there is a photo.', { readOnly: true }),
  },
  { always: ['hasPhoto'] },
);

const sentVehicle = noun(
  'vehicle',
  {
    ...fields,
    photo: text(`JPEG or WebP file in base64, at most ${MOST_PHOTO_BYTES} bytes. Null removes it.`, {
      maxLength: Math.ceil(MOST_PHOTO_BYTES / 3) * 4,
    }),
  },
  { sentAs: 'vehicle update' },
);

const path = '/devices/{id}/vehicle';
const v2 = { versions: ['v2'] as const };

export const vehicleOperations = {
  getVehicle: operation('GET', path, 'view', {
    ...v2,
    summary: 'Get the vehicle of a device',
    description: 'All fields are null if none was entered.',
    answer: answerOf(vehicle),
  }),
  updateVehicle: operation('PUT', path, 'manage', {
    ...v2,
    summary: 'Update the vehicle of a device',
    description: 'Changes only the fields that are sent. `null` clears a field.',
    body: { noun: sentVehicle, mode: 'update' },
    answer: answerOf(vehicle),
  }),
  getVehiclePhoto: operation('GET', `${path}/photo`, 'view', {
    ...v2,
    summary: 'Get the photo of a vehicle',
    description: '404 if there is none.',
    answer: Type.Unsafe<Uint8Array<ArrayBuffer>>({ type: 'string', format: 'binary', description: 'The photo.' }),
    media: 'file',
    mediaTypes: ['image/jpeg', 'image/webp'],
    refuses: [404],
    example: { answer: '(bytes)' },
  }),
};
