import { createStore } from '../../../store.ts';

/** Where the playback of a day is. The map and the slider follow it without a rendering of the page. */
export interface PlaybackState {
  /** Epoch ms; undefined until someone plays, drags or chooses. */
  readonly at: number | undefined;
  readonly isPlaying: boolean;
  readonly rate: number;
}

export const RATES = [10, 60, 300] as const;

export function createPlaybackClock() {
  const store = createStore<PlaybackState>({ at: undefined, isPlaying: false, rate: 60 });
  return {
    ...store,
    set: (change: Partial<PlaybackState>) => store.set((now) => ({ ...now, ...change })),
  };
}
export type PlaybackClock = ReturnType<typeof createPlaybackClock>;
