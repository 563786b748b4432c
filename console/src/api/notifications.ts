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
/** Dry run: changes nothing on the server. */
export const useTryTrigger = () => useChange('tryTrigger');

/** The number of unread notifications. */
export const useUnread = (options?: ReadOptions) => useRead('getUnreadNotifications', { id: 'me' }, options);
const READ = ['getUnreadNotifications', 'listNotifications', 'explainNotification'] as const;
export const useMarkRead = () => useChange('readNotifications', READ);
export const useAcknowledge = () => useChange('acknowledgeNotification', READ);
