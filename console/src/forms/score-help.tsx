import { DRIVER_SCORE } from '@trackway/contract/wording/driver-score.ts';
import { count } from '../format/quantities.ts';
import { useFormat } from '../format/use-format.ts';
import { t } from '../texts/t.ts';
import { scales } from './trigger-units.ts';

/** How the score of a driver is computed. */
export function ScoreHelp() {
  const { way } = scales(useFormat().units);
  const rounded = (km: number) => `${count(Math.round(way.shown(km)))} ${way.unit}`;
  const { harsh, speedingMinute, idleMinute, leastKm } = DRIVER_SCORE;
  return (
    <p>
      {t.drivers.scoreHelp({
        ...{ harsh: count(harsh), speeding: count(speedingMinute), idle: count(idleMinute) },
        ...{ base: rounded(100), distance: rounded(leastKm) },
      })}
    </p>
  );
}
