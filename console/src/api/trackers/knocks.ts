import type { AnswerOf } from '@trackway/contract/operations.ts';
import { useChange, useRead } from '../calls.ts';

export type Knock = AnswerOf<'listKnocks'>[number];

const LOOK_MS = 5000;
const NEWEST = { order: 'lastAt DESC', limit: 100 };

/** Trackers that may not report yet, the last one first; asked for again and again, as nothing tells of them. */
export const useKnocks = () => useRead('listKnocks', { filter: NEWEST }, { refetchInterval: LOOK_MS, staleTime: 0 });
export const useTakeInKnock = () =>
  useChange('takeInKnock', [
    'listKnocks',
    'listDevices',
    'countDevices',
    'listUserDevices',
    'countUserDevices',
    'getDevice',
  ]);
export const useDismissKnock = () => useChange('deleteKnock', ['listKnocks']);
