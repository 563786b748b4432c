import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type ReadOptions, useChange, useRead } from './calls.ts';

export type Forwarder = AnswerOf<'listForwarders'>[number];

export const useForwarders = (deviceId: number, options?: ReadOptions) =>
  useRead('listForwarders', { id: deviceId }, options);
export const useSetUpForwarding = () => useChange('setupSqsForwardingByPost', ['listForwarders']);
