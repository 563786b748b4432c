import { Type } from 'typebox';
import { list, operation } from '../operation.ts';
import { key, noun, text, time } from '../schema.ts';
import { quarantined } from './trip.ts';

/** Selects quarantined items; without any field, all of them. */
const choice = {
  id: key('Id of one item.'),
  reason: text('Only items that were quarantined for this reason.', { maxLength: 500 }),
  from: time('Only items that were received at this time or later.'),
  to: time('Only items that were received before this time.'),
};
const ofDevice = noun('quarantined items', choice, { sentAs: 'quarantine choice' });
const ofAll = noun(
  'quarantined items',
  { deviceId: key('Only items of this device.'), ...choice },
  { sentAs: 'fleet quarantine choice' },
);

const causes = Type.Array(
  Type.Object(
    {
      reason: Type.String({ description: 'Why the items were quarantined.' }),
      reasonCode: Type.Union([Type.String(), Type.Null()], {
        description: 'The reason for programs. Null if it has no code.',
      }),
      count: Type.Integer({ description: 'Number of items.' }),
      devices: Type.Integer({ description: 'Number of devices that they belong to.' }),
      oldest: Type.String({ format: 'date-time', description: 'When the oldest of them was received.' }),
      newest: Type.String({ format: 'date-time', description: 'When the newest of them was received.' }),
    },
    { title: 'cause of quarantine' },
  ),
);

const released = Type.Object(
  {
    released: Type.Integer({ description: 'Number of items that were stored.' }),
    duplicates: Type.Integer({ description: 'Number of items that had been stored already.' }),
    refused: Type.Integer({ description: 'Number of items that are still implausible: they stay in quarantine.' }),
    hasMore: Type.Boolean({ description: 'Whether more items are left for another call.' }),
  },
  { title: 'release from quarantine' },
);

const discarded = Type.Object(
  {
    discarded: Type.Integer({ description: 'Number of items that were deleted.' }),
    hasMore: Type.Boolean({ description: 'Whether more items are left for another call.' }),
  },
  { title: 'discarded items' },
);

const RELEASE =
  'The items are stored once, with their own times, as late data. Items that are still implausible stay in quarantine. A call takes at most 10 000 items.';

export const quarantineOperations = {
  summarizeDeviceQuarantine: operation('GET', '/devices/{id}/quarantine/causes', 'view', {
    summary: "Count a device's quarantined items by cause",
    answer: causes,
  }),
  releaseDeviceQuarantine: operation('POST', '/devices/{id}/quarantine/release', 'manage', {
    summary: "Release a device's quarantined items",
    description: RELEASE,
    body: { noun: ofDevice, mode: 'create' },
    answer: released,
  }),
  discardDeviceQuarantine: operation('POST', '/devices/{id}/quarantine/discard', 'manage', {
    summary: "Discard a device's quarantined items",
    body: { noun: ofDevice, mode: 'create' },
    answer: discarded,
  }),
  listAllQuarantine: list(quarantined, '/quarantine', 'admin', {
    summary: 'List the quarantined items of all devices',
  }),
  summarizeQuarantine: operation('GET', '/quarantine/causes', 'admin', {
    summary: 'Count the quarantined items of all devices by cause',
    answer: causes,
  }),
  releaseQuarantine: operation('POST', '/quarantine/release', 'admin', {
    summary: 'Release quarantined items',
    description: RELEASE,
    body: { noun: ofAll, mode: 'create' },
    answer: released,
  }),
  discardQuarantine: operation('POST', '/quarantine/discard', 'admin', {
    summary: 'Discard quarantined items',
    body: { noun: ofAll, mode: 'create' },
    answer: discarded,
  }),
};
