import { dayKey } from '../../../format/times.ts';
import { t } from '../../../texts/t.ts';
import { classes } from '../../../ui/class-names.ts';
import fieldCss from '../../../ui/fields/field.module.css';
import { Field, TextField } from '../../../ui/fields/field.tsx';
import { Segmented } from '../../../ui/tabs.tsx';
import type { RangeName, TimeRange } from './ranges.ts';
import css from './readings-choice.module.css';
import { nameOf, OF_POSITIONS, ofPosition, positionType } from './series.ts';

/** Selects the type and the time range. */
export function ReadingsChoice({
  known,
  type,
  range,
  search,
  onChange,
}: {
  known: readonly string[];
  type: string;
  range: TimeRange;
  search: URLSearchParams;
  onChange: (search: URLSearchParams, options: { replace: boolean }) => void;
}) {
  const change = (changes: Record<string, string | undefined>) => {
    const next = new URLSearchParams(search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) next.delete(name);
      else next.set(name, value);
    }
    onChange(next, { replace: true });
  };
  const types = ofPosition(type) || known.includes(type) ? known : [...known, type];
  return (
    <div className={css.choice}>
      <div className={css.type}>
        <Field
          label={t.deviceReadings.type}
          hidesLabel
          control={(tied) => (
            <select
              {...tied}
              className={classes(fieldCss.input, fieldCss.select)}
              value={type}
              onChange={(event) => change({ type: event.target.value })}
            >
              {types.length > 0 && (
                <optgroup label={t.deviceReadings.groups.readings}>
                  {types.map((one) => (
                    <option key={one} value={one}>
                      {nameOf(one)}
                    </option>
                  ))}
                </optgroup>
              )}
              <optgroup label={t.deviceReadings.groups.positions}>
                {OF_POSITIONS.map((one) => (
                  <option key={one} value={positionType(one)}>
                    {t.deviceReadings.ofPositions[one]}
                  </option>
                ))}
              </optgroup>
            </select>
          )}
        />
      </div>
      <Segmented<RangeName>
        label={t.deviceReadings.range}
        choices={(['24h', '7d', '30d', 'own'] as const).map((value) => ({
          value,
          label: t.deviceReadings.ranges[value],
        }))}
        value={range.name}
        onChange={(name) =>
          name === 'own'
            ? change({ range: undefined, ...range.days })
            : change({ range: name, from: undefined, to: undefined })
        }
      />
      {range.name === 'own' && (
        <div className={css.days}>
          <TextField
            type="date"
            label={t.deviceReadings.from}
            hidesLabel
            value={range.days.from}
            max={range.days.to}
            onChange={(from) => from && change({ from })}
          />
          <TextField
            type="date"
            label={t.deviceReadings.to}
            hidesLabel
            value={range.days.to}
            min={range.days.from}
            max={dayKey(Date.now())}
            onChange={(to) => to && change({ to })}
          />
        </div>
      )}
    </div>
  );
}
