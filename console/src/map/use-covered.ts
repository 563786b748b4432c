import { type RefObject, useEffect } from 'react';
import { coverSides } from './camera.ts';
import type { MapLibre } from './map-part.ts';

/**
 * Reports the covered parts to the map, so that its centre is visible. Elements with `data-covers` in the frame count:
 * `top`, `right`, or `side`, which is the bottom on a narrow screen, else the left. Elements at the bottom of the map
 * keep clear of it by `--map-foot`.
 * @param key changes whenever a covering element appears or disappears
 */
export function useCovered(map: MapLibre | undefined, frame: RefObject<HTMLElement | null>, key: unknown): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: What covers the map is found anew when the key changes.
  useEffect(() => {
    if (!map || !frame.current) return;
    const things = [...frame.current.querySelectorAll<HTMLElement>('[data-covers]')];
    const area = frame.current;
    const measure = () => {
      const covered = coveredBy(things, map.getContainer().getBoundingClientRect());
      coverSides(map, covered);
      if (covered.bottom > 0) area.style.setProperty('--map-foot', `${covered.bottom + 10}px`);
      else area.style.removeProperty('--map-foot');
    };
    // A running animation is not interrupted; the change is applied when it ends.
    const apply = () => {
      if (map.isMoving()) map.once('moveend', measure);
      else measure();
    };
    const sizes = new ResizeObserver(apply);
    for (const thing of [map.getContainer(), ...things]) sizes.observe(thing);
    measure();
    return () => {
      sizes.disconnect();
      map.off('moveend', measure);
    };
  }, [map, frame, key]);
}

function coveredBy(things: readonly HTMLElement[], area: DOMRect) {
  const covered = { top: 0, right: 0, bottom: 0, left: 0 };
  for (const thing of things) {
    const box = thing.getBoundingClientRect();
    if (box.width === 0) continue;
    const isAsWide = box.width > area.width * 0.9;
    const side = thing.dataset.covers === 'side' ? (isAsWide ? 'bottom' : 'left') : thing.dataset.covers;
    if (side === 'top') covered.top = Math.max(covered.top, box.bottom - area.top);
    if (side === 'bottom') covered.bottom = Math.max(covered.bottom, area.bottom - box.top);
    if (side === 'left') covered.left = Math.max(covered.left, box.right - area.left);
    if (side === 'right') covered.right = Math.max(covered.right, area.right - box.left);
  }
  return covered;
}
