import { CHANNELS } from '@trackway/contract/channels.ts';
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
  'countDeliveries',
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
/** The viewer's queued and failed deliveries through the servers of the operator; none in the list of everyone's. */
export function useOwnMessages(whose: 'mine' | 'all') {
  const options = { refetchInterval: WATCH_MS, enabled: whose === 'mine' };
  const useCount = (channel: string, status: unknown) =>
    useRead('countDeliveries', { id: 'me', where: { channel, status } }, options).data?.count ?? 0;
  const useThese = (kind: 'email' | 'mqtt') => ({
    kind,
    target: CHANNELS[kind].server,
    waiting: useCount(kind, { inq: ['queued', 'sending'] }),
    dead: useCount(kind, 'dead'),
  });
  const all = [useThese('email'), useThese('mqtt')];
  return whose === 'mine' ? all.filter(({ waiting, dead }) => waiting + dead > 0) : [];
}
export const useDeliveries = (filter: Filter, options?: ReadOptions) =>
  useRead('listDeliveries', { id: 'me', filter }, { refetchInterval: WATCH_MS, ...options });
export const useResendDeliveries = () => useChange('resendDeliveries', ALL);
export const useCancelDelivery = () => useChange('cancelDelivery', ALL);
export const useReopenDestination = () => useChange('reopenDestination', ALL);
export const useReopenAnyDestination = () => useChange('reopenAnyDestination', ALL);
export const useTestDelivery = () => useChange('testDelivery', ALL);
export const useRotateSecret = () => useChange('rotateWebhookSecret', ['getWebhookSecret']);
