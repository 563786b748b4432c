import { useEffect, useRef } from 'react';
import { readAnew, useRead } from './calls.ts';
import { onLive } from './live/live.ts';

const SETTLE_MS = 2000;
const NOW_AND_THEN_MS = 30_000;

/** The devices inside a fence, updated soon after a report. */
export function useInside(fenceId: number) {
  const wasReceived = useRef(false);
  useEffect(() => {
    const unsubscribe = onLive('position', () => {
      wasReceived.current = true;
    });
    const timer = setInterval(() => {
      if (!wasReceived.current) return;
      wasReceived.current = false;
      void readAnew(['listDevicesInside']);
    }, SETTLE_MS);
    return () => {
      unsubscribe();
      clearInterval(timer);
    };
  }, []);
  return useRead('listDevicesInside', { id: 'me', fk: fenceId }, { refetchInterval: NOW_AND_THEN_MS });
}
