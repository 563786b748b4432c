import { count, create, list, read, remove, removeAll, update } from '../operation.ts';
import { flag, id, key, noun, text, time } from '../schema.ts';

/** A message to a device, or from it if `mobileTerminated` is false. */
export const message = noun(
  'message',
  {
    id: id(),
    config: text('Binary content, by convention base64-encoded. Passed to the device unchanged.', {
      maxLength: 65_536,
    }),
    message: text('Text. Passed to the device unchanged.', { maxLength: 65_536 }),
    mobileTerminated: flag('True for a message to the device, false for one from the device.', { default: true }),
    created: time('When the service received it.', { readOnly: true }),
    sent: time('When the device confirmed it. For protocols without confirmation, when it was sent to the device.', {
      readOnly: true,
    }),
    deviceId: key('Id of the device.', { readOnly: true }),
    userId: key('Id of the user who sent it. Null for a message from the device.', { readOnly: true }),
  },
  { always: ['mobileTerminated', 'created', 'deviceId'] },
);

const path = '/devices/{id}/messages';

export const messageOperations = {
  listMessages: list(message, path, 'view'),
  countMessages: count(message, path, 'view'),
  createMessage: create(message, path, 'manage', {
    summary: 'Send a new message to a device',
    description: 'Set `message` or `config`. Messages wait in order until the device connects.',
  }),
  getMessage: read(message, `${path}/{fk}`, 'view'),
  updateMessage: update(message, `${path}/{fk}`, 'manage', {
    description: 'Possible until the device has received it. Changes only the fields that are sent.',
  }),
  deleteMessage: remove(message, `${path}/{fk}`, 'manage'),
  deleteMessages: removeAll(message, path, 'manage'),
};
