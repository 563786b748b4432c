import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type ReadOptions, useChange, useRead } from './calls.ts';

export type Share = AnswerOf<'getShare'>;

export const useShares = (deviceId: number, options?: ReadOptions) => useRead('listShares', { id: deviceId }, options);
export const useCreateShare = () => useChange('createShare', ['listShares', 'countShares']);
export const useUpdateShare = () => useChange('updateShare', ['listShares']);
export const useDeleteShare = () => useChange('deleteShare', ['listShares', 'countShares', 'listDevices']);
