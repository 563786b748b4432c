import { type RefObject, useEffect } from 'react';

/** While `isOn`, calls `leave` when something outside of `place` is pressed: what is open there closes. */
export function usePressOutside(place: RefObject<HTMLElement | null>, isOn: boolean, leave: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: Whoever calls makes `leave` anew each time; what it does stays.
  useEffect(() => {
    if (!isOn) return;
    const pressed = (event: Event) => !place.current?.contains(event.target as Node) && leave();
    addEventListener('pointerdown', pressed);
    return () => removeEventListener('pointerdown', pressed);
  }, [place, isOn]);
}
