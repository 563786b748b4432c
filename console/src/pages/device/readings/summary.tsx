import { numberWith } from '../../../forms/reading-type.ts';
import { t } from '../../../texts/t.ts';
import type { Drawn } from './series.ts';
import css from './summary.module.css';

/** Latest, lowest, highest and mean value of each line. */
export const Summary = ({ drawn, unit }: { drawn: Drawn; unit: string }) => (
  <div className={css.lines}>
    {drawn.lines.map(({ label, values }) => {
      const there = values.filter((value) => value !== null);
      // Spreading into a call is safe: there are never more than ten thousand values.
      const facts: [string, number][] = [
        [t.deviceReadings.latest, there.at(-1)!],
        [t.deviceReadings.lowest, Math.min(...there)],
        [t.deviceReadings.highest, Math.max(...there)],
        [t.deviceReadings.mean, there.reduce((sum, value) => sum + value, 0) / there.length],
      ];
      return (
        <div key={label}>
          {label !== '' && <h3 className={css.label}>{label}</h3>}
          <dl className={css.facts}>
            {facts.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{numberWith(value, unit)}</dd>
              </div>
            ))}
          </dl>
        </div>
      );
    })}
  </div>
);
