import { type City, createCity } from '@trackway/simulator/city.ts';

/** Rural areas around the world, where a fictional city covers no real one. */
const PLACES = [
  { lat: 38.42, lng: -8.02 },
  { lat: 49.4, lng: 15.3 },
  { lat: -14.2, lng: 30.1 },
  { lat: 48.9, lng: 58.5 },
  { lat: 22.4, lng: 76.2 },
  { lat: 15.6, lng: 103.9 },
  { lat: 35.1, lng: 134.1 },
  { lat: -32.4, lng: 148.9 },
  { lat: -38.5, lng: 176.3 },
  { lat: 39.2, lng: -117.1 },
  { lat: 34.1, lng: -104.6 },
  { lat: 35.4, lng: -91.2 },
  { lat: -34.3, lng: -61.2 },
  { lat: -19.8, lng: -45.6 },
];

const BUSY_HOUR = 14;
const [MORNING, AFTERNOON] = [9, 17];

/** A fictional city where it is daytime now, so that its fleet is at work. */
export function daytimeCity(seed: number, now: number): City {
  const hourAt = (lng: number) => (((now / 3_600_000 + Math.round(lng / 15)) % 24) + 24) % 24;
  const byDay = PLACES.find(({ lng }) => hourAt(lng) >= MORNING && hourAt(lng) <= AFTERNOON);
  const awayFromBusy = ({ lng }: { lng: number }) => Math.abs(hourAt(lng) - BUSY_HOUR);
  const center = byDay ?? PLACES.toSorted((a, b) => awayFromBusy(a) - awayFromBusy(b))[0]!;
  return createCity({ seed, center });
}
