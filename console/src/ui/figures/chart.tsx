import { LOCALE } from '../../format/locale.ts';
import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { clock, day, exactTime } from '../../format/times.ts';
import { shownTheme } from '../../preferences.ts';
import { useStore } from '../../store.ts';
import css from './chart.module.css';

export interface ChartLine {
  readonly label: string;
  /** One for each time; null where there is none. */
  readonly values: readonly (number | null)[];
}

const DAY_S = 86_400;
const INKS = ['--accent', '--info', '--warn', '--danger'] as const;

/** Values over time. What can be seen can be read below it in words: give it beside this. */
export function Chart({
  label,
  times,
  lines,
  unit,
  from,
  to,
  height = 280,
}: {
  label: string;
  /** Seconds since the epoch, ascending. */
  times: readonly number[];
  lines: readonly ChartLine[];
  unit: string;
  from: number;
  to: number;
  height?: number;
}) {
  const place = useRef<HTMLDivElement>(null);
  const reading = useRef<HTMLDivElement>(null);
  const theme = useStore(shownTheme);

  // biome-ignore lint/correctness/useExhaustiveDependencies: The colours come from the theme.
  useEffect(() => {
    const element = place.current!;
    // The chart tells its cursor once more after it was taken off the page, where the reference is empty already.
    const said = reading.current!;
    const ink = colorReader(element);
    const axis = {
      stroke: ink('--ink-soft'),
      grid: { stroke: ink('--line'), width: 1 },
      ticks: { show: false },
      font: '12px system-ui, sans-serif',
    };
    const isLong = to - from > 2 * DAY_S;
    const chart = new UPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
        scales: { x: { time: true, range: () => [from, to] }, y: { range: rangeWithRoom } },
        axes: [
          {
            ...axis,
            space: 70,
            size: 36,
            values: (_, splits) => splits.map((at) => (isLong ? day(at * 1000) : clock(at * 1000))),
          },
          { ...axis, size: 56, values: (_, splits) => splits.map((value) => value.toLocaleString(LOCALE)) },
        ],
        series: [
          {},
          ...lines.map((line, index) => ({
            label: line.label,
            stroke: ink(INKS[index % INKS.length]!),
            fill: lines.length === 1 ? faint(ink('--accent')) : undefined,
            width: 1.8,
            spanGaps: true,
            points: { show: times.length < 60, size: 5 },
          })),
        ],
        hooks: { setCursor: [(plot) => tellValues(plot, said, lines, unit)] },
      },
      [times as number[], ...lines.map(({ values }) => values as (number | null)[])],
      element,
    );
    const size = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    size.observe(element);
    return () => {
      size.disconnect();
      chart.destroy();
    };
  }, [times, lines, unit, from, to, height, theme]);

  return (
    <div className={css.chart} role="img" aria-label={label}>
      <div ref={reading} className={css.reading} aria-hidden="true" />
      <div ref={place} style={{ height }} />
      {lines.length > 1 && (
        <ul className={css.names} aria-hidden="true">
          {lines.map((line, index) => (
            <li key={line.label}>
              <span style={{ background: `var(${INKS[index % INKS.length]})` }} />
              {line.label}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The values below the pointer, above the chart. */
function tellValues(plot: UPlot, reading: HTMLElement, lines: readonly ChartLine[], unit: string): void {
  const { idx } = plot.cursor;
  const at = idx == null ? undefined : plot.data[0][idx];
  if (idx == null || at === undefined || (plot.cursor.left ?? -1) < 0) {
    reading.textContent = '';
    return;
  }
  const values = lines.flatMap(({ label, values }) => {
    const value = values[idx];
    const text = value == null ? undefined : `${value.toLocaleString(LOCALE, { maximumFractionDigits: 2 })} ${unit}`;
    return text === undefined ? [] : [lines.length > 1 ? `${label} ${text}` : text];
  });
  reading.textContent = `${exactTime(at * 1000)}   ${values.join(' · ')}`;
}

/** Some room above and below, also where all values are the same. */
function rangeWithRoom(_: UPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  const room = (high - low) * 0.12 || Math.abs(high) * 0.1 || 1;
  return [low - room, high + room];
}

/** A canvas does not know variables: the browser is asked for the colour behind one. */
function colorReader(beside: HTMLElement): (name: string) => string {
  const probe = document.createElement('span');
  beside.append(probe);
  probe.hidden = true;
  return (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
}

const faint = (color: string) => color.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.12)');
