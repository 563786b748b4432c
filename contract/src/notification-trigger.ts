import { ADDRESS_PARAMETERS, CHANNEL_KINDS, DEFAULT_DELIVERY } from './channels.ts';
import { count, create, list, read, remove, removeAll, update } from './operation.ts';
import { id, key, noun, number, object, text, time } from './schema.ts';
import { TRIGGER_TYPES } from './triggers.ts';

export const notificationTrigger = noun(
  'notificationTrigger',
  {
    id: id(),
    name: text('What its people call it; the type where absent.', { minLength: 1, maxLength: 200 }),
    type: text(`One of: ${Object.keys(TRIGGER_TYPES).join(', ')}.`, { minLength: 1, maxLength: 100 }),
    parameters: object(
      `What the type needs; also ${Object.values(ADDRESS_PARAMETERS).join(', ')} as addresses of the channels.`,
      { default: {} },
    ),
    muteFor: number('Seconds it stays silent after it fired; 0 = never muted.', {
      minimum: 0,
      maximum: 31_536_000,
      default: 0,
    }),
    lastTriggered: time('When it last fired and was sent.', { readOnly: true }),
    delivery: object(`The channels, each a flag: ${CHANNEL_KINDS.join(', ')}.`, { default: DEFAULT_DELIVERY }),
    deviceId: key('The device it watches.', { readOnly: true }),
    userId: key('The user it tells.', { readOnly: true }),
  },
  { required: ['type'], always: ['name', 'type', 'muteFor', 'delivery', 'deviceId', 'userId'] },
);

const path = '/devices/{id}/notificationTriggers';
const own = { description: "A user sees their own triggers, an admin everyone's." };

export const notificationTriggerOperations = {
  listNotificationTriggers: list(notificationTrigger, path, 'view', own),
  countNotificationTriggers: count(notificationTrigger, path, 'view'),
  createNotificationTrigger: create(notificationTrigger, path, 'manage'),
  getNotificationTrigger: read(notificationTrigger, `${path}/{fk}`, 'view', own),
  updateNotificationTrigger: update(notificationTrigger, `${path}/{fk}`, 'manage', {
    summary: 'Update a notification trigger of a device',
  }),
  deleteNotificationTrigger: remove(notificationTrigger, `${path}/{fk}`, 'manage'),
  deleteNotificationTriggers: removeAll(notificationTrigger, path, 'manage'),
};
