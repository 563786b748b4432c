import type { Filter } from '@trackway/contract/operation.ts';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type ReadOptions, useChange, useRead } from './calls.ts';

export type Notification = AnswerOf<'listNotifications'>[number];
export type Explanation = AnswerOf<'explainNotification'>;

export const useNotifications = (filter: Filter = {}, options?: ReadOptions) =>
  useRead('listNotifications', { id: 'me', filter }, options);
export const useDeviceNotifications = (deviceId: number, filter: Filter = {}, options?: ReadOptions) =>
  useRead('listDeviceNotifications', { id: deviceId, filter }, options);
export const useExplanation = (id: number, options?: ReadOptions) => useRead('explainNotification', { id }, options);
/** Changes nothing on the server: what would have fired. */
export const useTryTrigger = () => useChange('tryTrigger');

/** How many the user has not read. */
export const useUnread = (options?: ReadOptions) => useRead('getUnreadNotifications', { id: 'me' }, options);
const READ = ['getUnreadNotifications', 'listNotifications', 'explainNotification'] as const;
export const useMarkRead = () => useChange('readNotifications', READ);
export const useAcknowledge = () => useChange('acknowledgeNotification', READ);
