import { sql } from 'kysely';
import { mayText } from './rights.ts';
import type { Store } from './schema/tables.ts';

/** A gateway by which a position was found, as it is stored with the position. */
interface StoredGateway {
  readonly gatewayId: number;
  readonly at: number;
  readonly rssi: number | null;
  readonly distance: number;
  readonly weight: number;
}

export interface ShownGateway {
  readonly gatewayId: number;
  readonly name: string | null;
  readonly timestamp: string;
  readonly rssi: number | null;
  readonly distance: number;
  readonly weight: number;
}

/**
 * The gateways by which a position was found, those with the most weight first. Whoever may see the position sees of each
 * what readings of the device say anyway; its name only if they may see the gateway, by right and by token.
 */
export async function shownGateways(
  store: Store,
  heardBy: string | null,
  viewer: { readonly userId: number; readonly reaches: (deviceId: number) => boolean },
): Promise<ShownGateway[]> {
  if (heardBy === null) return [];
  const stored = JSON.parse(heardBy) as StoredGateway[];
  const ids = stored.map(({ gatewayId }) => gatewayId).filter(viewer.reaches);
  const named =
    ids.length === 0
      ? []
      : await store.query
          .selectFrom('devices as d')
          .innerJoin('users as u', (join) => join.on('u.id', '=', viewer.userId))
          .select(['d.id', 'd.name'])
          .where('d.id', 'in', ids)
          .where(sql<boolean>`${sql.raw(mayText('view', '"u"."id"', '"d"."id"'))}`)
          .execute();
  const names = new Map(named.map(({ id, name }) => [id, name ?? `Device ${id}`]));
  return stored.map(({ gatewayId, at, rssi, distance, weight }) => ({
    gatewayId,
    name: names.get(gatewayId) ?? null,
    timestamp: new Date(at).toISOString(),
    rssi,
    distance,
    weight,
  }));
}

/** As a sentence: how many gateways, and which of them heard it best. */
export function heardBySentence(gateways: readonly ShownGateway[]): string {
  const strongest = strongestOf(gateways);
  if (strongest === undefined) return '';
  const count = gateways.length === 1 ? '1 gateway' : `${gateways.length} gateways`;
  const name = strongest.name ?? `gateway ${strongest.gatewayId}`;
  const signal = strongest.rssi === null ? `within ${Math.ceil(strongest.distance)} m` : `${strongest.rssi} dBm`;
  return `Heard by ${count}, ${gateways.length === 1 ? '' : 'strongest '}${name} (${signal}).`;
}

function strongestOf(gateways: readonly ShownGateway[]): ShownGateway | undefined {
  return gateways.toSorted((a, b) => (b.rssi ?? -Infinity) - (a.rssi ?? -Infinity) || b.weight - a.weight)[0];
}
