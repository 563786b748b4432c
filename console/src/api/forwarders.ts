import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type ReadOptions, useChange, useRead } from './calls.ts';
import { isRefusal } from './client.ts';

export type Forwarder = AnswerOf<'listForwarders'>[number];

export const useForwarders = (deviceId: number, options?: ReadOptions) =>
  useRead('listForwarders', { id: deviceId }, options);
export const useSetUpForwarding = () => useChange('setupSqsForwardingByPost', ['listForwarders']);
export const useRequestQueueProof = () => useChange('requestQueueProof');
export const useProveQueue = () => useChange('proveQueue', ['listForwarders']);

/** Whether a forwarder was rejected because another account used the queue first. */
export const isHeldQueue = (error: unknown): boolean =>
  isRefusal(error) && (error.details as { codes?: { target?: string[] } } | null)?.codes?.target?.[0] === 'held';
