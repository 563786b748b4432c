import { dayKey } from '../../format/times.ts';
import { t } from '../../texts/t.ts';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import type { ReportChoice } from './choice.ts';
import { type DayRange, daysOfPeriod, PERIODS, type Period, type RangeProblem } from './period.ts';

const words = t.reports;
const BY_DAYS = 'days';

/** One of the periods, or any days from one to another, both of them included. */
export function PickPeriod({
  chosen: { period, days },
  problem,
  onChange,
}: {
  chosen: Pick<ReportChoice, 'period' | 'days'>;
  problem: RangeProblem | undefined;
  onChange: (chosen: { period: Period; days?: DayRange }) => void;
}) {
  const change = (next: Partial<DayRange>) => onChange({ period, days: { ...days!, ...next } });
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
      {days && (
        <>
          <TextField
            label={words.firstDay}
            type="date"
            max={dayKey(Date.now())}
            value={days.from}
            onChange={(from) => from !== '' && change({ from })}
          />
          <TextField
            label={words.lastDay}
            type="date"
            value={days.to}
            problem={problem && words.rangeProblems[problem]}
            onChange={(to) => to !== '' && change({ to })}
          />
        </>
      )}
    </>
  );
}
