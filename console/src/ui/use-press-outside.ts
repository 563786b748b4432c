import { type RefObject, useEffect } from 'react';

/** While `isOn`, calls `leave` on a press outside `place`. */
export function usePressOutside(place: RefObject<HTMLElement | null>, isOn: boolean, leave: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: `leave` is a new function each time; it does the same.
  useEffect(() => {
    if (!isOn) return;
    const pressed = (event: Event) => !place.current?.contains(event.target as Node) && leave();
    addEventListener('pointerdown', pressed);
    return () => removeEventListener('pointerdown', pressed);
  }, [place, isOn]);
}
