import { DRIVER_SCORE } from '@trackway/contract/wording/driver-score.ts';
import { count } from '../format/quantities.ts';
import { t } from '../texts/t.ts';

/** How the score of a driver is computed: in kilometers whatever the units, as its points are per 100 km. */
export function ScoreHelp() {
  const { harsh, speedingMinute, idleMinute, leastKm } = DRIVER_SCORE;
  const inKm = (km: number) => `${count(km)} ${t.triggers.units.km}`;
  return (
    <p>
      {t.drivers.scoreHelp({
        ...{ harsh: count(harsh), speeding: count(speedingMinute), idle: count(idleMinute) },
        ...{ base: inKm(100), distance: inKm(leastKm) },
      })}
    </p>
  );
}
