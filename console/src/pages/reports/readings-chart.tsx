import { useMemo, useState } from 'react';
import type { FleetReport } from '../../api/reports/reports.ts';
import { useFormat } from '../../format/use-format.ts';
import { nameOfType, scaleOf } from '../../forms/reading-type.ts';
import { t } from '../../texts/t.ts';
import { SelectField } from '../../ui/fields/field.tsx';
import { Chart } from '../../ui/figures/chart.tsx';
import { Card, Stack } from '../../ui/page.tsx';
import { linesOf, typesIn } from './reading-lines.ts';

const words = t.reports;

/** Readings over the days of a report. The table below contains the same values. */
export default function ReadingsChart({ report: { rows, from, to } }: { report: FleetReport }) {
  const types = useMemo(() => typesIn(rows), [rows]);
  const [chosen, setChosen] = useState<string>();
  const type = types.find((one) => one === chosen) ?? types[0]!;
  const { units } = useFormat();
  const { times, lines, unit } = useMemo(() => {
    const { unit, shown } = scaleOf(type, units);
    const { times, lines } = linesOf(rows, type, words.lines);
    const inUnit = (value: number | null) => (value === null ? null : shown(value));
    return { times, unit, lines: lines.map(({ label, values }) => ({ label, values: values.map(inUnit) })) };
  }, [rows, type, units]);
  return (
    <Card title={words.meanByDay}>
      <Stack>
        {types.length > 1 && (
          <SelectField
            label={words.whichReading}
            value={type}
            onChange={setChosen}
            choices={types.map((value) => ({ value, label: nameOfType(value) }))}
          />
        )}
        <Chart
          label={`${words.meanByDay}: ${nameOfType(type)}`}
          times={times}
          lines={lines}
          unit={unit}
          from={Date.parse(from) / 1000}
          to={Date.parse(to) / 1000}
          height={220}
        />
      </Stack>
    </Card>
  );
}
