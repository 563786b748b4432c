import type { Trial } from './trial.ts';
import { arrivalOrders } from './trials/arrival-orders.ts';
import { citus } from './trials/citus.ts';
import { damage } from './trials/damage.ts';
import { diskFull } from './trials/disk-full.ts';
import { frames } from './trials/frames.ts';
import { hostileDestinationsTrial } from './trials/hostile-destinations.ts';
import { hostileRequests } from './trials/hostile-requests.ts';
import { kills } from './trials/kills.ts';
import { killsOfTrackers } from './trials/kills-trackers.ts';
import { nodes } from './trials/nodes.ts';
import { postgresGone } from './trials/postgres-gone.ts';
import { powerCuts } from './trials/power-cuts.ts';
import { silence } from './trials/silence.ts';
import { soak } from './trials/soak.ts';
import { valueFlips } from './trials/value-flips.ts';

/** Every trial, in the order they run. */
export const TRIALS: Readonly<Record<string, Trial>> = {
  kills: kills('sqlite', { quick: 10, full: 300 }),
  'kills-postgres': kills('postgres', { quick: 5, full: 100 }),
  'kills-trackers': killsOfTrackers,
  'power-cuts': powerCuts(),
  'power-cuts-control': powerCuts({ isControl: true }),
  'disk-full': diskFull,
  damage,
  'value-flips': valueFlips,
  'postgres-gone': postgresGone,
  nodes,
  citus,
  silence,
  'hostile-destinations': hostileDestinationsTrial,
  'hostile-requests': hostileRequests,
  frames,
  'arrival-orders': arrivalOrders,
  soak,
};
