import { useState } from 'react';
import { count } from '../../../format/quantities.ts';
import { exactTime } from '../../../format/times.ts';
import { useFormat } from '../../../format/use-format.ts';
import { numberWith } from '../../../forms/reading-type.ts';
import { t } from '../../../texts/t.ts';
import { Pager } from '../../../ui/pager.tsx';
import { Table } from '../../../ui/table.tsx';
import { TitledList } from '../titled-list.tsx';
import type { Sample } from './series.ts';
import { valueInWords } from './values.ts';

const PAGE = 25;

/** The values, newest first: an accessible alternative to the chart. */
export function ValueTable({
  type,
  samples,
  unit,
  shown,
}: {
  type: string;
  samples: readonly Sample[];
  unit: string;
  shown: (value: number) => number;
}) {
  const format = useFormat();
  const [page, setPage] = useState(0);
  const end = samples.length - page * PAGE;
  const rows = samples.slice(Math.max(0, end - PAGE), end).reverse();
  const first = page * PAGE + 1;
  return (
    <TitledList
      title={t.deviceReadings.values}
      pager={
        <Pager
          page={page}
          onChange={setPage}
          hasMore={end > PAGE}
          about={`${count(first)}–${count(first + rows.length - 1)} / ${count(samples.length)}`}
        />
      }
    >
      <Table
        caption={t.deviceReadings.values}
        rows={rows.map((row, index) => ({ ...row, index }))}
        rowKey={({ at, index }) => `${at} ${index}`}
        columns={[
          { key: 'time', label: t.deviceReadings.time, cell: ({ at }) => exactTime(at) },
          {
            key: 'value',
            label: t.deviceReadings.value,
            align: 'end',
            cell: ({ value }) =>
              typeof value === 'number' ? numberWith(shown(value), unit) : valueInWords({ type, value }, format),
          },
        ]}
      />
    </TitledList>
  );
}
