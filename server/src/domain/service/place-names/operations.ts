import type { Handlers } from '../../../calls.ts';
import type { Store } from '../../schema/tables.ts';
import { fenceAround } from './fence-around.ts';

/** What is said of the address of a place. */
export interface FoundAddress {
  readonly address: string | null;
  readonly isWaiting: boolean;
}

export interface Geocoder {
  /** Whose data its addresses are. */
  readonly attribution: string;
  addressOf(userId: number, place: { readonly lat: number; readonly lng: number }): Promise<FoundAddress>;
}

/** Names of places: the user's own first, then those of the operator's geocoder. */
export function placeNameOperations(store: Store, geocoder: Geocoder | undefined): Handlers<'namePlace'> {
  const fenceOf = fenceAround(store);
  return {
    async namePlace({ caller, parameters: { lat, lng, deviceId }, now }) {
      const place = { lat, lng };
      const [geofence, found] = await Promise.all([
        fenceOf({ userId: caller.userId, deviceId }, place, now),
        geocoder?.addressOf(caller.userId, place),
      ]);
      const { address, isWaiting } = found ?? { address: null, isWaiting: false };
      return { geofence, address, isWaiting, attribution: address === null ? '' : geocoder!.attribution };
    },
  };
}
