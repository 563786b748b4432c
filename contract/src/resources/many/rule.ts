import { Type } from 'typebox';
import { CHANNEL_KINDS, DEFAULT_DELIVERY, DELIVERY_KEYS, deliverySchema } from '../../channels.ts';
import { count, create, list, read, remove, update } from '../../operation.ts';
import { flag, id, integer, key, noun, number, object, text, time, word } from '../../schema.ts';
import { TRIGGER_TYPES } from '../../triggers.ts';
import { WATCH_FIELDS } from '../../watching.ts';

/** A trigger for many devices. Each device that the rule applies to gets an ordinary trigger from it. */
export const rule = noun(
  'rule',
  {
    id: id(),
    name: text('Display name. Defaults to the type.', { minLength: 1, maxLength: 200 }),
    appliesTo: Type.Enum(['all', 'group', 'tag'], {
      title: 'extent of a rule',
      description:
        '`all`: every device the user owns. `group`: every device in the group `groupId` and its subgroups. `tag`: every device the user owns that has the tag `tag`. Devices that are added later are included.',
    }),
    groupId: key('Id of the group, for `group`. The user owns it, or may manage its devices.'),
    tag: text('Tag, for `tag`: `name:value`, or `name` for any value.', { minLength: 1, maxLength: 100 }),
    type: word(Object.keys(TRIGGER_TYPES), 'Trigger type.', { title: 'trigger type', minLength: 1, maxLength: 100 }),
    parameters: object('Parameters of the type, and the addresses of channels, as for a trigger.', { default: {} }),
    muteFor: number('Mute time of each trigger after it fired, in seconds. 0 means never muted.', {
      minimum: 0,
      maximum: 31_536_000,
      default: 0,
    }),
    delivery: object(`Channels to send notifications by, each true or false: ${CHANNEL_KINDS.join(', ')}.`, {
      default: DEFAULT_DELIVERY,
      'x-document': { ...deliverySchema, title: 'delivery channels' },
      'x-sent': { ...deliverySchema, title: 'chosen channels', propertyNames: { enum: DELIVERY_KEYS } },
    }),
    ...WATCH_FIELDS,
    userId: key('Id of the user it notifies.', { readOnly: true }),
    created: time('When it was created.', { readOnly: true }),
    deviceCount: integer('Number of devices that currently have a trigger of the rule.', { readOnly: true }),
    isSettled: flag('Whether the last change of the rule has been applied to all devices.', { readOnly: true }),
  },
  {
    required: ['type', 'appliesTo'],
    always: [
      'name',
      'appliesTo',
      'type',
      'muteFor',
      'delivery',
      'severity',
      'paused',
      'escalateAfter',
      'userId',
      'created',
      'deviceCount',
      'isSettled',
    ],
  },
);

const path = '/users/{id}/rules';

export const ruleOperations = {
  listRules: list(rule, path, 'self'),
  countRules: count(rule, path, 'self'),
  createRule: create(rule, path, 'self', {
    description:
      'Creates an ordinary trigger with `meta.ruleId` for every device it applies to, including devices that are added later. The triggers of a rule do not count towards quotas. At most 200 rules for each user. Types and parameters are the same as for triggers.',
  }),
  getRule: read(rule, `${path}/{fk}`, 'self'),
  updateRule: update(rule, `${path}/{fk}`, 'self', {
    description:
      'Changes only the fields that are sent. The triggers are updated soon after: `isSettled` shows whether all are. Earlier data is evaluated by the version that was in effect at its time.',
  }),
  deleteRule: remove(rule, `${path}/{fk}`, 'self', {
    description: 'Its triggers are deleted soon after. Notifications that were recorded stay.',
  }),
};
