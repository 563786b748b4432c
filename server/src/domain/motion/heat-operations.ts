import {
  type heatMapOperations as contract,
  MOST_HEAT_DAYS,
} from '@trackway/contract/resources/fleet-tools/heat-map.ts';
import type { Handlers } from '../../calls.ts';
import { invalidField } from '../../refusals.ts';
import { visibleTo, withinToken } from '../devices/access.ts';
import { ownerOf, unlessBusy } from '../family.ts';
import type { Store } from '../schema/tables.ts';
import { heatMap } from './heat-map.ts';

const DAY_MS = 86_400_000;
const TILE_PX = 256;
const CELL_PX = 4;

/** Heat maps of the devices of a user in a period. */
export function heatMapOperations(store: Store): Handlers<keyof typeof contract> {
  const heatOf = store.readWork(heatMap);
  return {
    async heatMap(call) {
      const { caller, userId, parameters } = call;
      const { west, south, east, north, zoom = 10, deviceId } = parameters;
      const [from, to] = [new Date(parameters.from).getTime(), new Date(parameters.to).getTime()];
      if (from > to || to - from > MOST_HEAT_DAYS * DAY_MS)
        throw invalidField('query', 'to', 'range', `must be at most ${MOST_HEAT_DAYS} days after from`);
      if (west > east) throw invalidField('query', 'east', 'range', 'must not be less than west');
      const seen = withinToken(caller, visibleTo(userId));
      const scope =
        deviceId === undefined ? seen : { sql: `(${seen.sql}) AND "id" = ?`, cells: [...seen.cells, deviceId] };
      const cell = (360 / (TILE_PX * 2 ** zoom)) * CELL_PX;
      const wanted = { scope, from, to, west, south, east, north, cell };
      return unlessBusy('reports', heatOf(wanted, ownerOf(call)));
    },
  };
}
