import type { Kysely } from 'kysely';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { TimeSpan } from '../../date-range.ts';
import type { Tables } from '../../schema/tables.ts';
import { hearingText } from '../../stored-readings/hearing.ts';
import { overReadings } from '../../stored-readings/over-readings.ts';
import type { Hearing } from '../judge/heard-place.ts';
import { placesOfGateways } from './gateway-places.ts';

/** More than this in a few minutes says nothing more. */
const MOST = 5000;

export interface StoredHearing {
  readonly gatewayId: number;
  readonly timestamp: number;
  readonly type: string;
  readonly value: string;
  readonly rssi: number | null;
  readonly meta: string | null;
}

/** By which gateways a tag was heard in a time, as far as it is known where they were; in the order of time. */
export async function readHearings(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  tagId: number,
  span: TimeSpan,
): Promise<Hearing[]> {
  const statement = (
    source: string,
  ) => `SELECT r."id", r."gatewayId", r."timestamp", r."type", r."value", r."rssi", r."meta" FROM ${source} r
    WHERE r."deviceId" = ? AND r."timestamp" > ? AND r."timestamp" <= ? AND ${hearingText('r')}
    ORDER BY r."timestamp", r."id" LIMIT ${MOST}`;
  const stored = await overReadings<StoredHearing>(
    { query: tx, storeKind },
    { scope: { deviceId: tagId }, span },
    (source) => ({
      sql: statement(source),
      cells: [tagId, span.from, span.to],
    }),
  );
  const gatewayIds = [...new Set(stored.map(({ gatewayId }) => gatewayId))];
  const placeOf = await placesOfGateways(tx, storeKind, tagId, gatewayIds, span);
  return stored.flatMap((one) => {
    const place = placeOf(one.gatewayId, one.timestamp);
    return place ? [{ gatewayId: one.gatewayId, at: one.timestamp, ...place, ...signalOf(one) }] : [];
  });
}

const WEAKEST_DBM = -127;
const STRONGEST_DBM = 20;
/** A power below this is what the tag measures at one metre; above it, what it sends with. */
const AT_ONE_METRE_DBM = -35;
/** What is lost on the first metre. */
const FIRST_METRE_DB = 41;

/** How strong the signal was and how strong it is at one metre, or how far away the tag was measured to be. */
export function signalOf({ type, value, rssi, meta }: Pick<StoredHearing, 'type' | 'value' | 'rssi' | 'meta'>) {
  const said: unknown = JSON.parse(value);
  const strength = dBm(rssi) ?? (type === 'ble_seen' ? dBm(said) : undefined);
  const power = dBm(fieldOf(said, 'power')) ?? dBm(fieldOf(meta === null ? null : JSON.parse(meta), 'txPower'));
  const isMeasured = type === 'uwb_seen' && typeof said === 'number' && said >= 0;
  return {
    rssi: strength ?? null,
    ...(power !== undefined && { powerDbm: power <= AT_ONE_METRE_DBM ? power : power - FIRST_METRE_DB }),
    ...(isMeasured && { measuredM: said / 100 }),
  };
}

const fieldOf = (of: unknown, name: string) =>
  typeof of === 'object' && of !== null ? (of as Record<string, unknown>)[name] : undefined;

const dBm = (value: unknown) =>
  typeof value === 'number' && value >= WEAKEST_DBM && value <= STRONGEST_DBM && value !== 0 ? value : undefined;
