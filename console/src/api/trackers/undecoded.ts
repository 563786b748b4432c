import type { AnswerOf } from '@trackway/contract/operations.ts';
import { useRead } from '../calls.ts';

export type UndecodedFrame = AnswerOf<'listUndecodedFrames'>[number];

const LOOK_MS = 30_000;
const NEWEST = { order: 'lastAt DESC', limit: 50 };

/** Undecodable frames of trackers, newest first. */
export const useUndecodedFrames = () =>
  useRead('listUndecodedFrames', { filter: NEWEST }, { refetchInterval: LOOK_MS });
