import {
  ADDRESS_PARAMETERS,
  CHANNEL_KINDS,
  DEFAULT_DELIVERY,
  DELIVERY_KEYS,
  deliverySchema,
  SECRET_PARAMETERS,
} from '../channels.ts';
import { count, create, list, read, remove, removeAll, update } from '../operation.ts';
import { id, key, noun, number, object, text, time, word } from '../schema.ts';
import { TRIGGER_TYPES, type TriggerType } from '../triggers.ts';
import { WATCH_FIELDS } from '../watching.ts';

export const notificationTrigger = noun(
  'notificationTrigger',
  {
    id: id(),
    name: text('Display name. Defaults to the type.', { minLength: 1, maxLength: 200 }),
    type: word(Object.keys(TRIGGER_TYPES), 'Trigger type.', { title: 'trigger type', minLength: 1, maxLength: 100 }),
    parameters: object(
      `Parameters of the type. Also the addresses of channels: ${Object.values(ADDRESS_PARAMETERS).join(', ')}. Never returned: ${Object.values(SECRET_PARAMETERS).join(', ')}.`,
      {
        default: {},
      },
    ),
    muteFor: number('Mute time after the trigger fired, in seconds. 0 means never muted.', {
      minimum: 0,
      maximum: 31_536_000,
      default: 0,
    }),
    lastTriggered: time('When the trigger last fired and was not muted.', { readOnly: true }),
    // The triggers themselves validate keys that are not channels.
    delivery: object(`Channels to send notifications by, each true or false: ${CHANNEL_KINDS.join(', ')}.`, {
      default: DEFAULT_DELIVERY,
      'x-document': { ...deliverySchema, title: 'delivery channels' },
      'x-sent': { ...deliverySchema, title: 'chosen channels', propertyNames: { enum: DELIVERY_KEYS } },
    }),
    deviceId: key('Id of the device it monitors.', { readOnly: true }),
    userId: key('Id of the user it notifies.', { readOnly: true }),
    ...WATCH_FIELDS,
    meta: object('`ruleId`: the rule that created it. Null for a trigger that no rule created.', { readOnly: true }),
  },
  {
    required: ['type'],
    always: ['name', 'type', 'muteFor', 'delivery', 'deviceId', 'userId', 'severity', 'paused', 'escalateAfter'],
  },
);

const path = '/devices/{id}/notificationTriggers';
const own = {
  description: 'Users see their own triggers; the owner of the device and admins see the triggers of all users.',
};

export const notificationTriggerOperations = {
  listNotificationTriggers: list(notificationTrigger, path, 'view', own),
  listUserTriggers: list(notificationTrigger, '/users/{id}/notificationTriggers', 'self', {
    versions: ['v2'],
    summary: 'List the notification triggers of a user',
    description: 'The triggers of all devices, without triggers of rules.',
  }),
  countNotificationTriggers: count(notificationTrigger, path, 'view'),
  createNotificationTrigger: create(notificationTrigger, path, 'manage', { description: describeTypes() }),
  getNotificationTrigger: read(notificationTrigger, `${path}/{fk}`, 'view', own),
  updateNotificationTrigger: update(notificationTrigger, `${path}/{fk}`, 'manage', {
    summary: 'Update a notification trigger of a device',
    description: describeTypes(),
    refuses: [409],
  }),
  deleteNotificationTrigger: remove(notificationTrigger, `${path}/{fk}`, 'manage', {
    description: 'A trigger that a rule created is rejected with 409: change the rule instead.',
    refuses: [409],
  }),
  deleteNotificationTriggers: removeAll(notificationTrigger, path, 'manage', {
    description: 'Deletes the triggers of the caller; for admins, of all users. Triggers that a rule created are kept.',
  }),
};

/** All trigger types for the reference and the command line, as a Markdown list. */
function describeTypes(): string {
  const lines = Object.entries<TriggerType>(TRIGGER_TYPES).map(([type, { fires, parameters, oneOf }]) => {
    const described = Object.entries(parameters).map(([name, schema]) => {
      const isRequired = !('~optional' in schema);
      const { description } = schema as { description?: string };
      return `\`${name}\`${isRequired ? ' (required)' : ''}: ${description}`;
    });
    const choice = oneOf ? [`At least one of ${oneOf.map((name) => `\`${name}\``).join(', ')} is required.`] : [];
    return [`- \`${type}\` fires when ${fires}.`, ...described, ...choice].join(' ');
  });
  return [
    'A parameter that is not listed for the type is stored as custom data. It is rejected with 422 if it resembles a listed one, if it is `geofenceId` or `unit`, or in strict mode. The schema `TriggerByType` describes the parameters for programs.',
    '',
    'Trigger types and their parameters:',
    '',
    ...lines,
  ].join('\n');
}
