import type { Filter } from '@trackway/contract/operation.ts';
import type { AnswerOf, OperationName } from '@trackway/contract/operations.ts';
import { type ReadOptions, useChange, useRead } from './calls.ts';

export type Destination = AnswerOf<'getDestination'>;
export type Delivery = AnswerOf<'listDeliveries'>[number];

/** Delivery states change without user actions, so they are polled. */
const WATCH_MS = 5000;
const ALL: OperationName[] = [
  'listDestinations',
  'listAllDestinations',
  'listDeliveries',
  'listNotificationDeliveries',
];

/** Destinations of the viewer; or, for admins, of all users. */
export const useDestinations = (whose: 'mine' | 'all') => {
  const filter = { order: ['state ASC', 'id DESC'], limit: 200 };
  const mine = useRead(
    'listDestinations',
    { id: 'me', filter },
    { refetchInterval: WATCH_MS, enabled: whose === 'mine' },
  );
  const all = useRead('listAllDestinations', { filter }, { refetchInterval: WATCH_MS, enabled: whose === 'all' });
  return whose === 'mine' ? mine : all;
};
export const useDeliveries = (filter: Filter, options?: ReadOptions) =>
  useRead('listDeliveries', { id: 'me', filter }, { refetchInterval: WATCH_MS, ...options });
export const useResendDeliveries = () => useChange('resendDeliveries', ALL);
export const useCancelDelivery = () => useChange('cancelDelivery', ALL);
export const useReopenDestination = () => useChange('reopenDestination', ALL);
export const useReopenAnyDestination = () => useChange('reopenAnyDestination', ALL);
export const useTestDelivery = () => useChange('testDelivery', ALL);
export const useRotateSecret = () => useChange('rotateWebhookSecret', ['getWebhookSecret']);
