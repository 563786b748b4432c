import { Link } from 'wouter';
import { type Reading, useReadings } from '../../../api/readings.ts';
import { useFormat } from '../../../format/use-format.ts';
import { nameOfType } from '../../../forms/reading-type.ts';
import { t } from '../../../texts/t.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Sparkline } from '../../../ui/figures/sparkline.tsx';
import { Card } from '../../../ui/page.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { Ago } from '../../../ui/time.tsx';
import { newestFirst } from '../readings/newest-first.ts';
import { useLiveReadings } from '../readings/use-live-readings.ts';
import { numbersIn, valueInWords } from '../readings/values.ts';
import css from './last-readings.module.css';

/** The number of values in a sparkline. */
const COURSE = 40;

/** The newest reading of each type, with a sparkline. */
export function LastReadings({ deviceId }: { deviceId: number }) {
  const query = useReadings(deviceId, newestFirst());
  useLiveReadings(deviceId, 'listReadings');
  return (
    <Loaded query={query}>
      {(readings) =>
        readings.length === 0 ? null : (
          <Card
            title={t.device.lastReadings}
            actions={
              <ButtonLink href={`/devices/${deviceId}/readings`} kind="quiet" size="small" icon="chart">
                {t.device.allReadings}
              </ButtonLink>
            }
          >
            <ul className={css.tiles}>
              {[...Map.groupBy(readings, ({ type }) => type)].map(([type, those]) => (
                <Tile key={type} deviceId={deviceId} readings={those} />
              ))}
            </ul>
          </Card>
        )
      }
    </Loaded>
  );
}

function Tile({ deviceId, readings }: { deviceId: number; readings: readonly Reading[] }) {
  const format = useFormat();
  const newest = readings[0]!;
  const course = readings
    .slice(0, COURSE)
    .map(({ value }) => numbersIn(value)[''])
    .filter((value) => value !== undefined)
    .reverse();
  return (
    <li>
      <Link href={`/devices/${deviceId}/readings?type=${encodeURIComponent(newest.type)}`} className={css.tile}>
        <span className={css.name}>{nameOfType(newest.type)}</span>
        <span className={typeof newest.value === 'object' ? css.words : css.value}>{valueInWords(newest, format)}</span>
        <span className={css.course}>
          <Sparkline values={course} />
        </span>
        <span className={css.ago}>
          <Ago time={newest.timestamp} />
        </span>
      </Link>
    </li>
  );
}
