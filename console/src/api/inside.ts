import { useEffect, useRef } from 'react';
import { readAnew, useRead } from './calls.ts';
import { onLive } from './live/live.ts';

const SETTLE_MS = 2000;
const NOW_AND_THEN_MS = 30_000;

/** Who is inside a fence, anew soon after someone reported. */
export function useInside(fenceId: number) {
  const wasHeard = useRef(false);
  useEffect(() => {
    const unsubscribe = onLive('position', () => {
      wasHeard.current = true;
    });
    const timer = setInterval(() => {
      if (!wasHeard.current) return;
      wasHeard.current = false;
      void readAnew(['listDevicesInside']);
    }, SETTLE_MS);
    return () => {
      unsubscribe();
      clearInterval(timer);
    };
  }, []);
  return useRead('listDevicesInside', { id: 'me', fk: fenceId }, { refetchInterval: NOW_AND_THEN_MS });
}
