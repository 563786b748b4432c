import type { AnswerOf } from '@trackway/contract/operations.ts';
import { useChange, useRead } from './calls.ts';

export type Delivery = AnswerOf<'listNotificationDeliveries'>[number];

const AT_WORK = ['queued', 'sending'];
const WATCH_MS = 3000;
const IDLE_MS = 30_000;

/** The deliveries of a notification, polled while one of them is in progress. */
export function useDeliveriesOf(notificationId: number) {
  const input = { id: notificationId, filter: { order: 'id ASC' } };
  const seen = useRead('listNotificationDeliveries', input);
  const isAtWork = seen.data?.some(({ status }) => AT_WORK.includes(status));
  useRead('listNotificationDeliveries', input, { refetchInterval: isAtWork ? WATCH_MS : IDLE_MS });
  return seen;
}
export const useResendDelivery = () => useChange('resendDelivery', ['listNotificationDeliveries', 'listDeliveries']);
