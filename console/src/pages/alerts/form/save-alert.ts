import { call, readAnew } from '../../../api/calls.ts';
import { bodyOfDraft, type TriggerDraft } from '../../../forms/trigger-draft.ts';
import { type WatchDraft, watchBodyOf } from '../../../forms/watch-draft.ts';
import { type Alert, isRule, type Who } from './who.ts';

export const LISTS = ['listRules', 'listUserTriggers', 'listNotificationTriggers'] as const;

/**
 * Creates an alert, or changes one. If it changes from one device to several, or to another device, the new one is
 * created before the old one is removed: no event is missed in between. Recorded notifications stay.
 */
export async function saveAlert(before: Alert | undefined, draft: TriggerDraft, who: Who, watch: WatchDraft) {
  const { appliesTo, deviceId, groupId, tag } = who;
  const body = { ...bodyOfDraft(draft, before), ...watchBodyOf(watch, before) };
  const state = before && { paused: before.paused, snoozedUntil: before.snoozedUntil };
  const extent = { groupId: appliesTo === 'group' ? groupId : null, tag: appliesTo === 'tag' ? tag : null };
  if (appliesTo === 'device' && before && !isRule(before) && before.deviceId === deviceId)
    await call('updateNotificationTrigger')({ id: deviceId, fk: before.id, body });
  else if (appliesTo !== 'device' && before && isRule(before))
    await call('updateRule')({ id: 'me', fk: before.id, body: { ...body, ...extent, appliesTo } });
  else {
    const created =
      appliesTo === 'device'
        ? await call('createNotificationTrigger')({ id: deviceId!, body: { ...body, ...state } })
        : await call('createRule')({ id: 'me', body: { ...body, ...state, ...extent, appliesTo } });
    if (before)
      await remove(before).catch(async (error) => {
        // Otherwise each event would be notified twice.
        await remove(created);
        throw error;
      });
    // The old one is gone, and still shown: it must not be read again.
    return readAnew(LISTS);
  }
  return readAnew([...LISTS, 'getRule', 'getNotificationTrigger']);
}

export const remove = (alert: Alert) =>
  isRule(alert)
    ? call('deleteRule')({ id: 'me', fk: alert.id })
    : call('deleteNotificationTrigger')({ id: alert.deviceId, fk: alert.id });
