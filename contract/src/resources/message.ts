import { Type } from 'typebox';
import { answerOf, count, create, list, operation, read, remove, removeAll, update } from '../operation.ts';
import { flag, id, key, noun, object, text, time } from '../schema.ts';

export const MESSAGE_STATES = ['queued', 'written', 'confirmed', 'failed', 'expired'] as const;

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
    state: Type.Enum([...MESSAGE_STATES], {
      readOnly: true,
      description:
        'State of a message to the device: `queued`; `written` to its connection; `confirmed` by it; `failed`, then `failure` says why; `expired` before it could be written. Null for a message from the device.',
    }),
    expires: time('When it expires if it could not be sent. Null: never.'),
    failure: text(
      'Why it failed: `unsupported` by the protocol of the device; the engine was not stopped because there is no position from the last 60 seconds (`noPosition`), its speed is unknown (`speedUnknown`) or the vehicle is `moving`; or a sentence. While it is `queued`: why it is held.',
      { readOnly: true },
    ),
    replyId: key('Id of the reply of the device.', { readOnly: true }),
    deviceId: key('Id of the device.', { readOnly: true }),
    userId: key('Id of the user who sent it. Null for a message from the device.', { readOnly: true }),
  },
  { always: ['mobileTerminated', 'created', 'deviceId'] },
);

export const COMMANDS = ['position', 'reboot', 'interval', 'engineStop', 'engineResume', 'output', 'alarmArm'] as const;
export type Command = (typeof COMMANDS)[number];

/** A command in terms that each protocol translates. */
const command = noun(
  'command',
  {
    command: Type.Enum([...COMMANDS], {
      description:
        '`position`: report now. `reboot`. `interval`: report every `seconds`. `engineStop` and `engineResume`: cut and restore fuel or ignition. `output`: switch `output` (its number) `on`. `alarmArm`: arm the alarm, or disarm it if `on` is false.',
    }),
    parameters: object('By name: `seconds` of `interval`; `output` and `on` of `output`; `on` of `alarmArm`.'),
    force: flag('Whether an engine is stopped without checking the speed.', { default: false }),
    expires: time('When it expires if it could not be sent. Default: ten minutes from now.'),
  },
  { required: ['command'], always: ['command', 'force'] },
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
  sendCommand: operation('POST', '/devices/{id}/commands', 'manage', {
    summary: 'Send a command to a tracker',
    description:
      'Creates a message that is sent in the protocol of the device while it is connected, or at its next report. `supportedCommands` of the device lists what its protocol supports. An engine is stopped only if a position of the last 60 seconds shows that the vehicle is not faster than 20 km/h, checked when the command is sent, unless `force` is set.',
    body: { noun: command, mode: 'create' },
    answer: answerOf(message),
  }),
  releaseCommandChannel: operation('DELETE', '/devices/{id}/command-channel', 'own', {
    summary: "Release a tracker's command channel",
    description:
      'Closes the connections of the tracker and forgets which protocols it used. The next connection that identifies itself as the device receives its commands. Required after a tracker was switched to another protocol, or from TCP to UDP.',
  }),
};
