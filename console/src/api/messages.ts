import type { Filter } from '@trackway/contract/operation.ts';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type ReadOptions, useChange, useRead } from './calls.ts';

export type Message = AnswerOf<'getMessage'>;

export const useMessages = (deviceId: number, filter: Filter = {}, options?: ReadOptions) =>
  useRead('listMessages', { id: deviceId, filter }, options);
export const useCreateMessage = () => useChange('createMessage', ['listMessages', 'countMessages']);
export const useSendCommand = () => useChange('sendCommand', ['listMessages', 'countMessages']);
export const useDeleteMessage = () => useChange('deleteMessage', ['listMessages', 'countMessages']);
export const useReleaseCommandChannel = () => useChange('releaseCommandChannel', ['listMessages']);
