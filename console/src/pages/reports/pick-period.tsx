import { BY_DAYS } from '@trackway/contract/resources/fleet-tools/saved-report.ts';
import { dayKey } from '../../format/times.ts';
import { t } from '../../texts/t.ts';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import type { ReportChoice } from './choice.ts';
import { type DayRange, daysOfPeriod, PERIODS, type Period, type RangeProblem } from './period.ts';

const words = t.reports;

/** One of the periods, or a custom range of days, both ends included. */
export function PickPeriod({
  chosen: { period, days },
  problem,
  onChange,
}: {
  chosen: Pick<ReportChoice, 'period' | 'days'>;
  problem: RangeProblem | undefined;
  onChange: (chosen: { period: Period; days?: DayRange }) => void;
}) {
  return (
    <>
      <SelectField<Period | typeof BY_DAYS>
        label={words.period}
        value={days ? BY_DAYS : period}
        onChange={(value) =>
          onChange(value === BY_DAYS ? { period, days: days ?? daysOfPeriod(period, new Date()) } : { period: value })
        }
        choices={[
          ...PERIODS.map((value) => ({ value, label: words.periods[value] })),
          { value: BY_DAYS, label: words.byDays },
        ]}
      />
      {days && <PickDays days={days} problem={problem} onChange={(next) => onChange({ period, days: next })} />}
    </>
  );
}

/** A range of days, both ends included. */
export function PickDays({
  days,
  problem,
  onChange,
}: {
  days: DayRange;
  problem: RangeProblem | undefined;
  onChange: (days: DayRange) => void;
}) {
  return (
    <>
      <TextField
        label={words.firstDay}
        type="date"
        max={dayKey(Date.now())}
        value={days.from}
        onChange={(from) => from !== '' && onChange({ ...days, from })}
      />
      <TextField
        label={words.lastDay}
        type="date"
        value={days.to}
        problem={problem && words.rangeProblems[problem]}
        onChange={(to) => to !== '' && onChange({ ...days, to })}
      />
    </>
  );
}
