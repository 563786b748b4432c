import { sql } from 'kysely';
import { mayText } from './rights.ts';
import type { Store } from './schema/tables.ts';

/** A gateway that located a position, in the form that is stored with the position. */
interface StoredGateway {
  readonly gatewayId: number;
  readonly at: number;
  readonly rssi: number | null;
  readonly distance: number;
  readonly weight: number;
}

interface ShownGateway {
  readonly gatewayId: number;
  readonly name: string | null;
  readonly timestamp: string;
  readonly rssi: number | null;
  readonly distance: number;
  readonly weight: number;
}

/**
 * The gateways that located a position, the highest weight first. A user who may see the position sees of each gateway
 * what readings of the device contain anyway, and its name only if the user and the token may see the gateway.
 */
export async function shownGateways(
  store: Store,
  locatingGateways: string | null,
  viewer: { readonly userId: number; readonly reaches: (deviceId: number) => boolean },
): Promise<ShownGateway[]> {
  if (locatingGateways === null) return [];
  const stored = JSON.parse(locatingGateways) as StoredGateway[];
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

/** As a sentence: how many gateways, and which of them received the strongest signal. */
export function gatewaySentence(gateways: readonly ShownGateway[]): string {
  const strongest = strongestOf(gateways);
  if (strongest === undefined) return '';
  const count = gateways.length === 1 ? '1 gateway' : `${gateways.length} gateways`;
  const name = strongest.name ?? `gateway ${strongest.gatewayId}`;
  const signal = strongest.rssi === null ? `within ${Math.ceil(strongest.distance)} m` : `${strongest.rssi} dBm`;
  return `Detected by ${count}, ${gateways.length === 1 ? '' : 'strongest '}${name} (${signal}).`;
}

function strongestOf(gateways: readonly ShownGateway[]): ShownGateway | undefined {
  return gateways.toSorted((a, b) => (b.rssi ?? -Infinity) - (a.rssi ?? -Infinity) || b.weight - a.weight)[0];
}
