import type { AnswerOf } from '@trackway/contract/operations.ts';
import { useChange, useRead } from '../calls.ts';

export type ChannelSetup = AnswerOf<'listChannels'>[number];

/** The channels of the server, for admins. */
export const useChannels = () => useRead('listChannels', {});
export const useSetUpChannel = () => useChange('setUpChannel', ['listChannels', 'getServerInfo']);
export const useTestChannel = () => useChange('testChannel');
