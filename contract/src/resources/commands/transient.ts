import { answerOf, count, list, operation, read, remove, update } from '../../operation.ts';
import { flag, id, integer, key, noun, required, time } from '../../schema.ts';

/** Temporary modes of a device, by the codes of `currentMode`. */
export const MODES = { wake: 0, sleep: 1, available: 2, flight: 6 } as const;
const MOST_MINUTES = 65_535;

const minutes = (description: string, minimum: number) => integer(description, { minimum, maximum: MOST_MINUTES });

export const transient = noun(
  'deviceTransient',
  {
    id: id(),
    deviceId: key('Id of the device.', { readOnly: true }),
    type: integer('Mode: 0 wake, 1 sleep, 2 available, 6 flight.', { readOnly: true }),
    duration: minutes('Minutes after the device received it. 0: until another command.', 0),
    triggeredAt: time('When it was requested.', { readOnly: true }),
    end: time('When it ends. Null until the device has received it, and if it has no end time.', { readOnly: true }),
    sent: time('When the device confirmed it.', { readOnly: true }),
    sms: flag('Stored, without effect.'),
  },
  { always: ['deviceId', 'type', 'duration', 'triggeredAt', 'sms'] },
);

const flight = { duration: minutes('Minutes of flight mode.', 1) };
const lasting = { duration: minutes('Minutes. 0 or absent: until another command.', 0) };
const flightRequest = noun('flight mode', flight, { required: ['duration'], sentAs: 'flight mode request' });
const modeRequest = noun('mode', lasting, { sentAs: 'mode request' });

const path = '/devices/{id}/transients';
const answer = answerOf(transient);
const example = {
  id: 12,
  deviceId: 7,
  type: 6,
  duration: 90,
  triggeredAt: '2026-03-02T08:00:00.000Z',
  end: null,
  sent: null,
  sms: false,
};
const HEADER_ONLY = 'This GET request changes data, so the token is accepted only in a header; POST is recommended.';
const byPost = 'Same as the GET operation, with a JSON body.';

export const transientOperations = {
  flightMode: operation('GET', '/devices/{id}/flightMode', 'manage', {
    summary: 'Put a device into flight mode',
    description: `It is sent to the device as a message. From the confirmation until the end, the trigger \`offline\` does not fire. A mode that the device has not received yet is replaced. ${HEADER_ONLY}`,
    query: { duration: required(flight.duration) },
    answer,
    changes: true,
    example: { answer: example },
  }),
  flightModeByPost: operation('POST', '/devices/{id}/flightMode', 'manage', {
    summary: 'Put a device into flight mode (POST)',
    description: byPost,
    body: { noun: flightRequest, mode: 'create' },
    answer,
    example: { body: { duration: 90 }, answer: example },
  }),
  sleepDevice: operation('GET', '/devices/{id}/sleep', 'manage', {
    summary: 'Put a device to sleep',
    description: `It is sent to the device as a message. ${HEADER_ONLY}`,
    query: lasting,
    answer,
    changes: true,
  }),
  sleepDeviceByPost: operation('POST', '/devices/{id}/sleep', 'manage', {
    summary: 'Put a device to sleep (POST)',
    description: byPost,
    body: { noun: modeRequest, mode: 'create' },
    answer,
  }),
  wakeUpDevice: operation('GET', '/devices/{id}/wakeUp', 'manage', {
    summary: 'Wake up a device',
    description: `It is sent to the device as a message. ${HEADER_ONLY}`,
    query: lasting,
    answer,
    changes: true,
  }),
  wakeUpDeviceByPost: operation('POST', '/devices/{id}/wakeUp', 'manage', {
    summary: 'Wake up a device (POST)',
    description: byPost,
    body: { noun: modeRequest, mode: 'create' },
    answer,
  }),
  listTransients: list(transient, path, 'view', {
    summary: 'List the modes that were sent to a device',
    description: 'Kept for 90 days after their end.',
  }),
  countTransients: count(transient, path, 'view', { summary: 'Count the modes that were sent to a device' }),
  getTransient: read(transient, `${path}/{fk}`, 'view', { summary: 'Get a mode that was sent to a device' }),
  updateTransient: update(transient, `${path}/{fk}`, 'manage', {
    summary: 'Change a mode that was sent to a device',
    description: 'The duration can be changed until the device has received it.',
  }),
  deleteTransient: remove(transient, `${path}/{fk}`, 'manage', {
    summary: 'Cancel a mode that was sent to a device',
    description:
      'If the device has not received it yet, it is not sent. Otherwise the mode stays active and only the record is deleted.',
  }),
};
