import { useMemo, useState } from 'react';
import type { FleetReport } from '../../api/reports/reports.ts';
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
  const { times, lines } = useMemo(() => linesOf(rows, type, words.lines), [rows, type]);
  return (
    <Card title={words.meanByDay}>
      <Stack>
        {types.length > 1 && (
          <SelectField
            label={words.whichReading}
            value={type}
            onChange={setChosen}
            choices={types.map((value) => ({ value, label: value }))}
          />
        )}
        <Chart
          label={`${words.meanByDay}: ${type}`}
          times={times}
          lines={lines}
          unit=""
          from={Date.parse(from) / 1000}
          to={Date.parse(to) / 1000}
          height={220}
        />
      </Stack>
    </Card>
  );
}
