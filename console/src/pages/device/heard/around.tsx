import type { GatewayReading } from '../../../api/readings.ts';
import { useFormat } from '../../../format/use-format.ts';
import { t } from '../../../texts/t.ts';
import { Card } from '../../../ui/page.tsx';
import { Ago } from '../../../ui/time.tsx';
import { nameOfType, valueInWords } from '../readings/values.ts';
import css from './heard-sheet.module.css';
import { Signal } from './signal.tsx';
import { Thing, type ThingNames, thingKey } from './thing.tsx';

const MOST = 24;

/** Each thing that was heard lately once, with the newest that it said. */
export function Around({ readings, names }: { readings: readonly GatewayReading[]; names: ThingNames }) {
  const format = useFormat();
  const things = [...Map.groupBy(readings, thingKey)].slice(0, MOST);
  return (
    <Card title={t.deviceReadings.around}>
      <ul className={css.things}>
        {things.map(([key, those]) => {
          const newest = those[0]!;
          const rssi = those.find((reading) => reading.rssi !== null)?.rssi ?? null;
          return (
            <li key={key} className={css.thing}>
              <div className={css.name}>
                <Thing reading={newest} names={names} />
                <Signal rssi={rssi} />
              </div>
              <div>
                {nameOfType(newest.type)}: {valueInWords(newest, format)}
              </div>
              <div className={css.soft}>
                <Ago time={newest.timestamp} /> · {t.deviceReadings.times(those.length)}
              </div>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
