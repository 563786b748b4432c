import { count, create, list, read, remove, removeAll, update } from './operation.ts';
import { flag, id, key, noun, text, time } from './schema.ts';

/** A message to a device, or, where not mobile terminated, one that came from it. */
export const message = noun(
  'message',
  {
    id: id(),
    config: text('Passed on as it is; by convention base64 bytes.', { maxLength: 65_536 }),
    message: text('Text for the device, passed on as it is.', { maxLength: 65_536 }),
    mobileTerminated: flag('Whether it goes down to the device.', { default: true }),
    created: time('When the service took it in.', { readOnly: true }),
    sent: time('When the device took it.', { readOnly: true }),
    deviceId: key('The device.', { readOnly: true }),
    userId: key('Who sent it.', { readOnly: true }),
  },
  { always: ['mobileTerminated', 'created', 'deviceId'] },
);

const path = '/devices/{id}/messages';

export const messageOperations = {
  listMessages: list(message, path, 'view'),
  countMessages: count(message, path, 'view'),
  createMessage: create(message, path, 'manage', {
    summary: 'Send a new message to a device',
    description: 'It waits for a device that is away, in order. One of message and config is needed.',
  }),
  getMessage: read(message, `${path}/{fk}`, 'view'),
  updateMessage: update(message, `${path}/{fk}`, 'manage', { description: 'Only while it was not sent.' }),
  deleteMessage: remove(message, `${path}/{fk}`, 'manage'),
  deleteMessages: removeAll(message, path, 'manage'),
};
