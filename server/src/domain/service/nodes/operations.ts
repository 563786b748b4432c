import type { Handlers } from '../../../calls.ts';
import type { OwnedDevices } from '../../schema/owned-devices.ts';
import type { NodeRow } from '../../schema/rows/fleet-tool-rows.ts';
import type { Store } from '../../schema/tables.ts';
import type { NodeFigures, OwnNode } from './node.ts';
import { listedSlots } from './node-clocks.ts';

/** An orchestrator that starts one after the other leaves no more of them than this. */
const MOST = 200;

/** All nodes that share the database, for operators. */
export function nodeOperations(
  store: Store,
  own: Pick<OwnNode, 'id' | 'row'>,
  owned: OwnedDevices,
): Handlers<'listNodes'> {
  return {
    async listNodes({ now }) {
      const others = store.dialect.isShared
        ? await store.query
            .selectFrom('nodes')
            .selectAll()
            .where('id', '<>', own.id)
            .orderBy('startedAt', 'desc')
            .limit(MOST)
            .execute()
        : [];
      const rows = [own.row(), ...others].sort((a, b) => a.startedAt - b.startedAt);
      const slotsOf = await ownedSlots(store, now);
      slotsOf.set(own.id, listedSlots(owned));
      return rows.map((row) => presented(row, slotsOf.get(row.id) ?? [], row.id === own.id, now));
    },
  };
}

/** By node, as their leases say. */
async function ownedSlots(store: Store, now: number): Promise<Map<string, number[]>> {
  if (!store.dialect.isShared) return new Map();
  const rows = await store.query
    .selectFrom('slotTimers')
    .select(['slot', 'owner'])
    .where('ownedUntil', '>', now)
    .orderBy('slot')
    .execute();
  const slotsOf = new Map<string, number[]>();
  for (const { slot, owner } of rows) slotsOf.set(owner!, [...(slotsOf.get(owner!) ?? []), slot]);
  return slotsOf;
}

const textOf = (time: number) => new Date(time).toISOString();

function presented(row: NodeRow, slots: number[], isThis: boolean, now: number) {
  const owns = { slots: slots.length, ...(JSON.parse(row.owns) as Record<string, number>) };
  const { reportsPerMinute, positionsPerMinute, streams, memoryBytes } = JSON.parse(row.figures) as NodeFigures;
  const isUp = row.goneAt === null;
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    address: row.address,
    isThis,
    state: isUp ? ('up' as const) : ('gone' as const),
    startedAt: textOf(row.startedAt),
    seenAt: textOf(row.seenAt),
    seenAgo: Math.max(0, Math.round((now - row.seenAt) / 1000)),
    goneAt: row.goneAt === null ? null : textOf(row.goneAt),
    lag: row.lagMs,
    clockAhead: Math.round(row.clockAheadMs / 1000),
    reportsPerMinute: isUp ? reportsPerMinute : 0,
    positionsPerMinute: isUp ? positionsPerMinute : 0,
    streams: isUp ? streams : 0,
    memoryBytes: isUp ? memoryBytes : 0,
    slots,
    owns: Object.entries(owns)
      .filter(([, count]) => count > 0)
      .map(([what, count]) => ({ what, count })),
  };
}
