import type { Handlers } from '../../calls.ts';
import { ownerOf, unlessBusy } from '../family.ts';
import type { Store } from '../schema/tables.ts';
import { FORGOTTEN_KINDS, type KeptHistory } from './kept-history.ts';
import { previewRetention } from './preview.ts';

const timeOf = (at: number | null) => (at === null ? null : new Date(at).toISOString());

/** @param current the retention settings of the server */
export function retentionOperations(store: Store, current: KeptHistory): Handlers<'previewRetention'> {
  return {
    async previewRetention(call) {
      const { now, parameters } = call;
      const kept = {
        keepPositions: parameters.keepPositions ?? current.positions,
        keepReadings: parameters.keepReadings ?? current.readings,
        keepTrips: parameters.keepTrips ?? current.trips,
        keepNotifications: parameters.keepNotifications ?? current.notifications,
        keepCheckpoints: parameters.keepCheckpoints ?? current.checkpoints,
        thinAfter: parameters.thinAfter ?? current.thinAfter,
      };
      const history: KeptHistory = {
        positions: kept.keepPositions,
        readings: kept.keepReadings,
        trips: kept.keepTrips,
        notifications: kept.keepNotifications,
        checkpoints: kept.keepCheckpoints,
        thinAfter: kept.thinAfter,
        windowMs: current.windowMs,
      };
      const asked = { kept: history, now, owner: ownerOf(call) };
      const kinds = await unlessBusy('reports', previewRetention(store, asked));
      const removed = FORGOTTEN_KINDS.map((kind) => {
        const { count, bytes, oldest, newest } = kinds[kind];
        return { kind, count, bytes, oldest: timeOf(oldest), newest: timeOf(newest) };
      });
      return { kept, removed };
    },
  };
}
