import { Link } from 'wouter';
import { useFleet } from '../../../api/live/fleet.ts';
import { useFormat } from '../../../format/use-format.ts';
import { nameOfType } from '../../../forms/reading-type.ts';
import { distanceM } from '../../../geo/place.ts';
import { t } from '../../../texts/t.ts';
import { Ago } from '../../../ui/time.tsx';
import { valueInWords } from '../readings/values.ts';
import type { NearbyThing } from './nearby.ts';
import css from './nearby-sheet.module.css';
import { Signal } from './signal.tsx';

const MOST_READINGS = 4;

/** A sighted tag: signal, distance, time, and values. */
export function NearbyItem({ thing, deviceId }: { thing: NearbyThing; deviceId: number }) {
  const format = useFormat();
  const away = useAway(thing, deviceId);
  return (
    <li className={css.thing}>
      <div className={css.name}>
        {thing.deviceId === null ? (
          <code>{thing.name ?? t.deviceReadings.unknownThing}</code>
        ) : (
          <Link href={`/devices/${thing.deviceId}`}>{thing.name ?? t.device.unnamed({ id: thing.deviceId })}</Link>
        )}
        <Signal rssi={thing.rssi} />
      </div>
      {thing.readings.slice(0, MOST_READINGS).map((reading) => (
        <div key={reading.type}>
          {nameOfType(reading.type)}: {valueInWords(reading, format)}
        </div>
      ))}
      <div className={css.soft}>
        <Ago time={thing.at} />
        {away && ` · ${away}`}
      </div>
    </li>
  );
}

/** The distance: as measured, else from the last positions of both. */
function useAway({ deviceId: thingId, distanceM: measured }: NearbyThing, deviceId: number): string | undefined {
  const format = useFormat();
  const { devices } = useFleet();
  if (measured !== null) return t.deviceReadings.away({ distance: format.distance(measured) });
  const [one, other] = [placeOf(devices.get(deviceId)), placeOf(devices.get(thingId ?? 0))];
  return one && other && t.deviceReadings.awayByPositions({ distance: format.distance(distanceM(one, other)) });
}

const placeOf = (device: { lat: number | undefined; lng: number | undefined } | undefined) =>
  device?.lat === undefined || device.lng === undefined ? undefined : { lat: device.lat, lng: device.lng };
