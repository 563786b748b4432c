import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { call, type ReadOptions, useChange, useRead } from './calls.ts';

export type Trigger = AnswerOf<'getNotificationTrigger'>;

const ALL = [
  'listUserTriggers',
  'listNotificationTriggers',
  'countNotificationTriggers',
  'getNotificationTrigger',
] as const;

/** Triggers in one request. */
const PAGE = 1000;

export const useTriggers = (deviceId: number, options?: ReadOptions) =>
  useRead('listNotificationTriggers', { id: deviceId }, options);
/** The triggers of all devices, without triggers of rules. */
export const useUserTriggers = () =>
  useQuery({
    queryKey: ['listUserTriggers', { id: 'me' }],
    queryFn: async ({ signal }) => {
      const all: Trigger[] = [];
      for (;;) {
        const where = { id: { gt: all.at(-1)?.id ?? 0 } };
        const filter = { where, order: 'id ASC', limit: PAGE };
        const page = await call('listUserTriggers')({ id: 'me', filter }, { signal });
        all.push(...page);
        if (page.length < PAGE) return all.sort((one, other) => one.deviceId - other.deviceId || one.id - other.id);
      }
    },
  });
/** Undefined while loading, and if it was deleted. */
export const useTrigger = (deviceId: number, id: number): Trigger | undefined =>
  useRead('listNotificationTriggers', { id: deviceId, filter: { where: { id } } }).data?.[0];
export const useCreateTrigger = () => useChange('createNotificationTrigger', ALL);
export const useUpdateTrigger = () => useChange('updateNotificationTrigger', ALL);
export const useDeleteTrigger = () => useChange('deleteNotificationTrigger', ALL);
