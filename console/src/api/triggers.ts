import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type ReadOptions, useChange, useRead } from './calls.ts';

export type Trigger = AnswerOf<'getNotificationTrigger'>;

const ALL = ['listNotificationTriggers', 'countNotificationTriggers', 'getNotificationTrigger'] as const;

export const useTriggers = (deviceId: number, options?: ReadOptions) =>
  useRead('listNotificationTriggers', { id: deviceId }, options);
/** Undefined until it is known, and where it is gone. */
export const useTrigger = (deviceId: number, id: number): Trigger | undefined =>
  useRead('listNotificationTriggers', { id: deviceId, filter: { where: { id } } }).data?.[0];
export const useCreateTrigger = () => useChange('createNotificationTrigger', ALL);
export const useUpdateTrigger = () => useChange('updateNotificationTrigger', ALL);
export const useDeleteTrigger = () => useChange('deleteNotificationTrigger', ALL);
