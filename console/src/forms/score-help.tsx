import { DRIVER_SCORE } from '@trackway/contract/wording/driver-score.ts';
import { count } from '../format/quantities.ts';
import { useFormat } from '../format/use-format.ts';
import { t } from '../texts/t.ts';

/** How the score of a driver is computed. */
export function ScoreHelp() {
  const { distance } = useFormat();
  const { harsh, speedingMinute, idleMinute, leastKm } = DRIVER_SCORE;
  return (
    <p>
      {t.drivers.scoreHelp({
        ...{ harsh: count(harsh), speeding: count(speedingMinute), idle: count(idleMinute) },
        distance: distance(leastKm * 1000),
      })}
    </p>
  );
}
