import type { metaAndTagOperations as contract } from '@trackway/contract/resources/commands/meta-and-tags.ts';
import { isStorable } from '@trackway/contract/values.ts';
import type { Call, Handlers } from '../../calls.ts';
import { badRequest } from '../../platform/errors.ts';
import { accessDenied, childNotFound, invalidField, modelNotFound } from '../../refusals.ts';
import { recordDeviceAudit } from '../audit/record.ts';
import { getRow } from '../rows.ts';
import { lockDevices } from '../schema/lock-device.ts';
import type { Store } from '../schema/tables.ts';
import type { DeviceAccess } from './access.ts';
import { deactivate } from './activity.ts';
import {
  changeTags,
  MOST_TAG_CHARACTERS,
  requireTagBounds,
  tagName,
  tagNamed,
  tagOf,
  tagsOf,
  tagValue,
  withoutTag,
  withTag,
} from './tags.ts';

const MOST_META_BYTES = 64 * 1024;
const OK = { status: 'ok' };

interface TagEdit {
  readonly tag?: string;
  readonly originalTagKey?: string;
}

/** Single changes of a device that lose nothing of what others change at the same time. */
export function metaAndTagOperations(store: Store, access: DeviceAccess): Handlers<keyof typeof contract> {
  async function setMetaItem({ deviceId }: Call, key: string, value: unknown): Promise<typeof OK> {
    if (!isStorable(value ?? null) || !isStorable(key))
      throw invalidField(
        'device',
        'value',
        'type',
        'contains a character that cannot be stored, or is nested too deeply',
      );
    await store.transaction(async (tx) => {
      const [device] = await lockDevices(tx, [deviceId]);
      if (device === undefined) throw modelNotFound('device', deviceId);
      const others = Object.entries(JSON.parse(device.meta ?? '{}') as object).filter(([name]) => name !== key);
      // Made of entries, so that every key is an ordinary one.
      const items = value === undefined || value === null ? others : [...others, [key, value] as const];
      const meta = JSON.stringify(Object.fromEntries(items));
      if (Buffer.byteLength(meta) > MOST_META_BYTES)
        throw invalidField('device', 'meta', 'length', `must have at most ${MOST_META_BYTES} bytes as JSON`);
      await tx.updateTable('devices').set({ meta }).where('id', '=', deviceId).execute();
    });
    return OK;
  }

  const deactivateDevice = async (call: Call) => {
    const { deviceId, now } = call;
    await store.transaction(async (tx) => {
      if (await deactivate(tx, deviceId, now))
        await recordDeviceAudit(tx, call, { action: 'device.deactivated', deviceId });
    });
    return { success: 'ok' };
  };

  async function requireManaged({ caller }: Call, deviceIds: readonly number[]): Promise<void> {
    const rights = new Set();
    for (const id of deviceIds) {
      const right = await access.rightOn(caller, id);
      if (right === undefined) throw modelNotFound('device', id);
      rights.add(right);
    }
    if (rights.has('view')) throw accessDenied();
  }

  async function tagsOfDevice(deviceId: number): Promise<string[]> {
    const device = await getRow(store.query, 'devices', { id: deviceId }, ['tags']);
    return tagsOf(device);
  }

  return {
    setMetaItem: (call) => setMetaItem(call, call.parameters.key!, call.parameters.value),
    setMetaItemByPost: (call) => setMetaItem(call, call.body.key!, call.body.value),
    deactivateDevice,
    deactivateDeviceByPost: deactivateDevice,

    async changeTags(call) {
      const { ids, tagEdits } = call.body as { ids: readonly number[]; tagEdits: readonly TagEdit[] };
      const deviceIds = [...new Set(ids)];
      await requireManaged(call, deviceIds);
      await store.transaction((tx) =>
        changeTags(
          tx,
          deviceIds,
          (tags) => {
            const after = edited(tags, tagEdits);
            requireTagBounds(after, 'tagEdits');
            return after;
          },
          call.now,
        ),
      );
      return OK;
    },

    listTags: (call) => tagsOfDevice(call.deviceId),

    async getTag({ deviceId, texts: { name } }) {
      const tag = tagNamed(await tagsOfDevice(deviceId), name);
      if (tag === undefined) throw childNotFound('tag', name);
      return tagValue(tag);
    },

    async setTag({ deviceId, texts: { name }, parameters, body, now }) {
      const value = parameters.value ?? body.value;
      if (value === undefined || value === null) throw badRequest('value is required');
      if (name === '' || tagName(name) !== name || name.length >= MOST_TAG_CHARACTERS)
        throw badRequest('The name of a tag must have 1 to 99 characters, and no colon');
      if (!isStorable(name)) throw badRequest('The name of a tag contains a character that cannot be stored');
      await store.transaction((tx) =>
        changeTags(
          tx,
          [deviceId],
          (tags) => {
            const after = withTag(tags, tagOf(name, value));
            requireTagBounds(after);
            return after;
          },
          now,
        ),
      );
      return value;
    },

    async removeTag({ deviceId, texts: { name }, now }) {
      await store.transaction((tx) =>
        changeTags(
          tx,
          [deviceId],
          (tags) => {
            if (tagNamed(tags, name) === undefined) throw childNotFound('tag', name);
            return withoutTag(tags, name);
          },
          now,
        ),
      );
      return 'ok';
    },
  };
}

function edited(tags: readonly string[], edits: readonly TagEdit[]): string[] {
  let after = [...tags];
  for (const { tag, originalTagKey } of edits) {
    if (originalTagKey) after = withoutTag(after, originalTagKey);
    if (tag) after = withTag(after, tag);
  }
  return after;
}
