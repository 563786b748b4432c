import { type ShownDevice, TRAIL_MINUTES } from '@trackway/contract/resources/link.ts';
import { trailPoint, whereabouts } from '@trackway/contract/resources/whereabouts.ts';
import type { Scope } from '../../platform/collection.ts';
import { searchOf } from '../family.ts';
import type { GroupLinkRow } from '../schema/rows/link-rows.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store } from '../schema/tables.ts';
import { trailsSql } from '../tracking/api/trails.ts';
import { whereaboutsSql } from '../tracking/api/whereabouts.ts';
import { openGroup } from './open-group.ts';

/** Positions of trails that one answer has at most, however many devices it shows. */
const MOST_TRAIL = 4000;
/** A trail has no more than one position for each so many seconds. */
const LEAST_STEP_S = 10;
const TRAIL_MS = TRAIL_MINUTES * 60_000;

interface Shown {
  readonly name: string | null;
  readonly devices: ShownDevice[];
  readonly more: number;
}
type StoredGroupLink = Pick<GroupLinkRow, 'groupId' | 'userId' | 'name' | 'trail'> & { readonly id: number };
interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** What a link of a group shows; undefined once it is not open. It is read away from the main thread. */
export function shownGroup(store: Store): (link: StoredGroupLink, now: number) => Promise<Shown | undefined> {
  const open = openGroup(store);
  const places = shapeOf(whereabouts);
  const trailPoints = shapeOf(trailPoint);

  return async (link, now) => {
    const found = await open(link, now);
    if (found === undefined) return undefined;
    const { shown } = found;
    const owner = `link:${link.id}`;
    const sql = whereaboutsSql(store, shown, true);
    const { text } = await searchOf(store, { sql, cells: [...shown.cells, link.userId], shape: places, owner });
    const devices = JSON.parse(text) as {
      deviceId: number;
      name?: string;
      location?: Place;
      timestamp?: string;
      speed?: number;
    }[];
    const trails = link.trail === 1 ? await trailsOf(shown, devices.length) : undefined;
    return {
      name: link.name ?? found.name,
      more: found.count - devices.length,
      devices: devices.map(({ deviceId, name, location, timestamp, speed }) => ({
        name: name ?? null,
        position: location && timestamp ? { ...location, timestamp, speed: speed ?? null } : null,
        trail: trails?.get(deviceId) ?? [],
      })),
    };

    async function trailsOf(scope: Scope, count: number): Promise<Map<number, ShownDevice['trail']>> {
      const stepS = Math.max(LEAST_STEP_S, Math.ceil((count * TRAIL_MINUTES * 60) / MOST_TRAIL));
      const sql = trailsSql(scope, stepS * 1000);
      const { text } = await searchOf(store, {
        sql,
        cells: [...scope.cells, now - TRAIL_MS, now],
        shape: trailPoints,
        owner,
      });
      const trails = new Map<number, ShownDevice['trail']>();
      for (const { deviceId, location, timestamp } of JSON.parse(text) as {
        deviceId: number;
        location: Place;
        timestamp: string;
      }[]) {
        const trail = trails.get(deviceId);
        if (trail) trail.push({ ...location, timestamp });
        else trails.set(deviceId, [{ ...location, timestamp }]);
      }
      return trails;
    }
  };
}
