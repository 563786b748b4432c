import { Type } from 'typebox';
import { operation } from '../../operation.ts';
import { anything, key, list, noun, required, text } from '../../schema.ts';

const HEADER_ONLY = 'This GET request changes data, so the token is accepted only in a header; POST is recommended.';
const byPost = 'Same as the GET operation, with a JSON body.';

const metaKey = text('Key in the custom data.', { minLength: 1, maxLength: 100 });
const metaItem = noun(
  'meta item',
  { key: metaKey, value: anything('Any JSON value. Null or absent removes the key.') },
  {
    required: ['key'],
    sentAs: 'meta item',
  },
);

const done = Type.Object({ status: Type.String({ description: '`ok`.' }) }, { title: 'status' });
const deactivated = Type.Object({ success: Type.String({ description: '`ok`.' }) }, { title: 'deactivation' });

const tagEdit = Type.Object(
  {
    tag: Type.Optional(
      Type.String({ maxLength: 100, description: 'Tag to set, `name:value`. Empty or absent: none.' }),
    ),
    originalTagKey: Type.Optional(Type.String({ maxLength: 100, description: 'Name of the tag to remove first.' })),
  },
  { title: 'tag edit' },
);

const tagChange = noun(
  'tag change',
  {
    ids: list(key('Id of a device.'), 'Ids of the devices.', { minItems: 1, maxItems: 1000 }),
    tagEdits: list(tagEdit, 'Changes, made in this order.', { minItems: 1, maxItems: 100 }),
  },
  { required: ['ids', 'tagEdits'], sentAs: 'tag change' },
);

const value = text('Value of the tag. Empty: a label without a value.', { maxLength: 99, 'x-empty': true });
const newValue = noun('tag value', { value }, { sentAs: 'tag value' });
const tags = '/devices/{id}/tags';
const tag = `${tags}/{name}` as const;
const v2 = { versions: ['v2'] as const };
const named = { ...v2, texts: ['name'] as const };

export const metaAndTagOperations = {
  setMetaItem: operation('GET', '/devices/{id}/setMetaItem', 'manage', {
    summary: 'Set a key of the custom data of a device',
    description: `All other keys stay unchanged. A value that is not JSON is a text; without a value the key is removed. ${HEADER_ONLY}`,
    query: { key: required(metaKey), value: anything('Any JSON value, or plain text.') },
    answer: done,
    changes: true,
    example: { answer: { status: 'ok' } },
  }),
  setMetaItemByPost: operation('POST', '/devices/{id}/setMetaItem', 'manage', {
    summary: 'Set a key of the custom data of a device (POST)',
    description: byPost,
    body: { noun: metaItem, mode: 'create' },
    answer: done,
    example: { body: { key: 'driver', value: { name: 'Jane' } }, answer: { status: 'ok' } },
  }),
  deactivateDevice: operation('GET', '/devices/{id}/deactivate', 'own', {
    summary: 'Deactivate a device',
    description: `Its plan ends, its reports are rejected with 403 \`DEVICE_INACTIVE\` so that it keeps them, and none of its triggers fires. It is active again when \`active\` is set, or when it is put on a plan in version 2. ${HEADER_ONLY}`,
    answer: deactivated,
    changes: true,
    example: { answer: { success: 'ok' } },
  }),
  deactivateDeviceByPost: operation('POST', '/devices/{id}/deactivate', 'own', {
    summary: 'Deactivate a device (POST)',
    description: 'Same as the GET operation.',
    answer: deactivated,
    example: { answer: { success: 'ok' } },
  }),
  changeTags: operation('POST', '/devices/changeTags', 'user', {
    summary: 'Change the tags of several devices',
    description:
      'The caller must be allowed to manage every one of them. Each edit removes the tag named `originalTagKey`, then sets `tag`. Either all devices are changed or none.',
    body: { noun: tagChange, mode: 'create' },
    refuses: [404],
    answer: done,
    example: {
      body: { ids: [7, 8], tagEdits: [{ tag: 'depot:north', originalTagKey: 'depot' }] },
      answer: { status: 'ok' },
    },
  }),
  listTags: operation('GET', tags, 'view', {
    ...v2,
    summary: 'List the tags of a device',
    answer: Type.Array(Type.String({ description: '`name:value`, or a label.' })),
    example: { answer: ['depot:north', 'spare'] },
  }),
  getTag: operation('GET', tag, 'view', {
    ...named,
    summary: 'Get the value of a tag of a device',
    answer: Type.String({ description: 'The value. Empty for a label.' }),
    example: { answer: 'north' },
  }),
  setTag: operation('PUT', tag, 'manage', {
    ...named,
    summary: 'Set a tag of a device',
    description: 'Give `value` in the query or in the body. It replaces the value that the tag has.',
    query: { value },
    body: { noun: newValue, mode: 'update' },
    answer: Type.String({ description: 'The value.' }),
    example: { body: { value: 'north' }, answer: 'north' },
  }),
  removeTag: operation('DELETE', tag, 'manage', {
    ...named,
    summary: 'Remove a tag of a device',
    answer: Type.String({ description: '`ok`.' }),
    example: { answer: 'ok' },
  }),
};
