import { LOCALE } from '../../format/locale.ts';
import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { fewDigits } from '../../format/quantities.ts';
import { clock, day, exactTime } from '../../format/times.ts';
import { shownTheme } from '../../preferences.ts';
import { useStore } from '../../store.ts';
import css from './chart.module.css';

export interface ChartLine {
  readonly label: string;
  /** One for each time; null if missing. */
  readonly values: readonly (number | null)[];
}

const DAY_S = 86_400;
const INKS = ['--accent', '--info', '--warn', '--danger'] as const;

/** Values over time. Provide the same values as text next to it, for accessibility. */
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
    // The chart reports its cursor once more after it was removed from the page, when the reference is already empty.
    const said = reading.current!;
    const ink = colorReader(element);
    const axis = {
      stroke: ink('--ink-soft'),
      grid: { stroke: ink('--line'), width: 1 },
      ticks: { show: false },
      font: '12px system-ui, sans-serif',
    };
    const [start, end] = fitted(times, from, to);
    const isLong = end - start > 2 * DAY_S;
    const chart = new UPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
        scales: { x: { time: true, range: () => [start, end] }, y: { range: rangeWithRoom } },
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
        hooks: { setCursor: [(plot) => describeValues(plot, said, lines, unit)] },
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

/** Shows the values at the pointer, above the chart. */
function describeValues(plot: UPlot, reading: HTMLElement, lines: readonly ChartLine[], unit: string): void {
  const { idx } = plot.cursor;
  const at = idx == null ? undefined : plot.data[0][idx];
  if (idx == null || at === undefined || (plot.cursor.left ?? -1) < 0) {
    reading.textContent = '';
    return;
  }
  const values = lines.flatMap(({ label, values }) => {
    const value = values[idx];
    const text = value == null ? undefined : `${fewDigits(value)} ${unit}`;
    return text === undefined ? [] : [lines.length > 1 ? `${label} ${text}` : text];
  });
  reading.textContent = `${exactTime(at * 1000)}   ${values.join(' · ')}`;
}

/** The part of the time with values. */
function fitted(times: readonly number[], from: number, to: number): [number, number] {
  const [first, last] = [times[0] ?? from, times.at(-1) ?? to];
  const room = Math.max(60, (last - first) * 0.02);
  return [Math.max(from, first - room), Math.min(to, last + room)];
}

/** Some room above and below, also where all values are the same. */
function rangeWithRoom(_: UPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  const room = (high - low) * 0.12 || Math.abs(high) * 0.1 || 1;
  return [low - room, high + room];
}

/** A canvas does not resolve CSS variables, so the browser computes the colour. */
function colorReader(parent: HTMLElement): (name: string) => string {
  const probe = document.createElement('span');
  parent.append(probe);
  probe.hidden = true;
  return (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
}

const faint = (color: string) => color.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.12)');
