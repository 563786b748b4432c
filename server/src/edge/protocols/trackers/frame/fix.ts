import type { TrackerRecord } from '../tracker.ts';

type Place = Pick<TrackerRecord, 'location' | 'isValid'>;

/** No device is vouched for at 0, 0: it is what receivers say that have no fix. Off the globe is no place at all. */
export function fixOf(lat: number | undefined, lng: number | undefined, isVouchedFor: boolean): Place {
  if (lat === undefined || lng === undefined || !(Math.abs(lat) <= 90) || !(Math.abs(lng) <= 180))
    return { isValid: false };
  return { location: { lat, lng }, isValid: isVouchedFor && (lat !== 0 || lng !== 0) };
}
