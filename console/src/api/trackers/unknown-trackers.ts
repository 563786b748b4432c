import type { AnswerOf } from '@trackway/contract/operations.ts';
import { useChange, useRead } from '../calls.ts';

export type UnknownTracker = AnswerOf<'listUnknownTrackers'>[number];

const LOOK_MS = 5000;
const NEWEST = { order: 'lastAt DESC', limit: 100 };

/** Unknown trackers, newest first; polled, because there are no events for them. */
export const useUnknownTrackers = () =>
  useRead('listUnknownTrackers', { filter: NEWEST }, { refetchInterval: LOOK_MS, staleTime: 0 });
const NEW_DEVICES = [
  'listUnknownTrackers',
  'listDevices',
  'countDevices',
  'listUserDevices',
  'countUserDevices',
  'getDevice',
] as const;
export const useAddUnknownTracker = () => useChange('addUnknownTracker', NEW_DEVICES);
export const useAddTrackers = () => useChange('addTrackers', NEW_DEVICES);
export const useDismissUnknownTracker = () => useChange('deleteUnknownTracker', ['listUnknownTrackers']);
export const useIdentifyTracker = () => useChange('identifyTracker');
