import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { type Reading, useReadings } from '../../../api/readings.ts';
import { count } from '../../../format/quantities.ts';
import { useFormat, useNow } from '../../../format/use-format.ts';
import { t } from '../../../texts/t.ts';
import { Chart } from '../../../ui/figures/chart.tsx';
import { Card, Stack } from '../../../ui/page.tsx';
import { EmptyState, Loaded, Notice } from '../../../ui/states.tsx';
import type { SheetProps } from '../rights.ts';
import { newestFirst } from './newest-first.ts';
import { rangeIn, type TimeRange } from './ranges.ts';
import { ReadingsChoice } from './readings-choice.tsx';
import { linesOf, MOST_VALUES, nameOf, positionType, scale, useSamples } from './series.ts';
import { Summary } from './summary.tsx';
import { useLiveReadings } from './use-live-readings.ts';
import { ValueTable } from './value-table.tsx';

const MINUTE_MS = 60_000;

/** Values of one type over time: `?type=temp&range=7d`. */
export default function ReadingsSheet({ device }: SheetProps) {
  const [search, setSearch] = useSearchParams();
  const now = useNow(MINUTE_MS);
  const newest = useReadings(device.id, newestFirst());
  useLiveReadings(device.id, 'listReadings');
  return (
    <Loaded query={newest}>
      {(readings) => {
        const asked = search.get('type');
        const known = [...new Set(readings.map(({ type }) => type))].sort();
        const type = asked ?? plainest(readings) ?? known[0] ?? positionType('speed');
        const range = rangeIn(search, now);
        return (
          <Stack>
            <ReadingsChoice known={known} type={type} range={range} search={search} onChange={setSearch} />
            <Samples key={type} deviceId={device.id} type={type} range={range} />
          </Stack>
        );
      }}
    </Loaded>
  );
}

/** The default: the newest type with numbers. */
const plainest = (readings: readonly Reading[]) => readings.find(({ value }) => typeof value === 'number')?.type;

function Samples({ deviceId, type, range }: { deviceId: number; type: string; range: TimeRange }) {
  const { units } = useFormat();
  const query = useSamples(deviceId, type, range);
  const { unit, shown } = useMemo(() => scale(type, units), [type, units]);
  const drawn = useMemo(() => linesOf(query.data ?? [], shown), [query.data, shown]);
  return (
    <Loaded query={query} lines={8}>
      {(samples) =>
        samples.length === 0 ? (
          <Card>
            <EmptyState icon="chart" title={t.deviceReadings.none}>
              {t.deviceReadings.noneHint}
            </EmptyState>
          </Card>
        ) : (
          <>
            {query.isShortened && (
              <Notice tone="warn">{t.deviceReadings.shortened({ count: count(MOST_VALUES) })}</Notice>
            )}
            <Card>
              {drawn.lines.length > 0 ? (
                <>
                  <Summary drawn={drawn} unit={unit} />
                  <Chart
                    label={t.deviceReadings.chart({ what: nameOf(type) })}
                    times={drawn.times}
                    lines={drawn.lines}
                    unit={unit}
                    from={range.from / 1000}
                    to={range.to / 1000}
                  />
                </>
              ) : (
                <Notice>{t.deviceReadings.notNumbers}</Notice>
              )}
            </Card>
            <ValueTable key={`${range.from} ${range.to}`} type={type} samples={samples} unit={unit} shown={shown} />
          </>
        )
      }
    </Loaded>
  );
}
