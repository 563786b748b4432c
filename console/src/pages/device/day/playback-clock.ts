import { createStore } from '../../../store.ts';

/** The state of the playback. The map and the slider follow it without rendering the page. */
export interface PlaybackState {
  /** Epoch ms; undefined until the viewer plays, drags or selects. */
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
