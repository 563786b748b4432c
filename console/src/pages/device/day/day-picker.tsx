import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useDays } from '../../../api/devices.ts';
import { LOCALE } from '../../../format/locale.ts';
import { date, dayKey, ZONE } from '../../../format/times.ts';
import { useFormat } from '../../../format/use-format.ts';
import { t } from '../../../texts/t.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { classes } from '../../../ui/class-names.ts';
import { usePressOutside } from '../../../ui/use-press-outside.ts';
import css from './day-picker.module.css';
import { dayAfter, noonOf } from './day-range.ts';

const MONTH = new Intl.DateTimeFormat(LOCALE, { month: 'long', year: 'numeric' });
const WEEKDAY = new Intl.DateTimeFormat(LOCALE, { weekday: 'narrow' });
const LONG_DAY = new Intl.DateTimeFormat(LOCALE, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});
/** Weeks start on Monday. */
const weekdayOf = (noon: Date) => (noon.getDay() + 6) % 7;

/** A calendar that marks days with trips. */
export function DayPicker({
  deviceId,
  day,
  label = LONG_DAY.format(noonOf(day)),
  onDay,
}: {
  deviceId: number;
  day: string;
  /** What is shown of the day, if it is not the day alone. */
  label?: string;
  onDay: (day: string) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  usePressOutside(place, isOpen, () => setOpen(false));
  const close = () => {
    setOpen(false);
    place.current?.querySelector('button')?.focus();
  };
  return (
    <div className={css.place} ref={place}>
      <Button icon="clock" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen} aria-haspopup="dialog">
        {label}
      </Button>
      {isOpen && (
        <Calendar
          deviceId={deviceId}
          day={day}
          onClose={close}
          onDay={(next) => {
            close();
            onDay(next);
          }}
        />
      )}
    </div>
  );
}

function Calendar({
  deviceId,
  day,
  onDay,
  onClose,
}: {
  deviceId: number;
  day: string;
  onDay: (day: string) => void;
  onClose: () => void;
}) {
  const format = useFormat();
  const frame = useRef<HTMLDivElement>(null);
  const today = dayKey(Date.now());
  const [cursor, setCursor] = useState(day);
  const { noons, range } = useMemo(() => monthOf(cursor.slice(0, 7)), [cursor]);
  const days = useDays(deviceId, { ...range, tz: ZONE }, { keepsPrevious: true });
  const byDay = new Map(days.data?.map((one) => [one.day, one]));
  const most = Math.max(1, ...(days.data ?? []).map(({ distance }) => distance));
  // biome-ignore lint/correctness/useExhaustiveDependencies: The focus follows the day that the keys have come to.
  useEffect(() => {
    frame.current?.querySelector<HTMLElement>('[data-cursor]')?.focus();
  }, [cursor]);

  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7, PageUp: -28, PageDown: 28 }[event.key];
    if (event.key === 'Escape') onClose();
    else if (step !== undefined) setCursor(earlier(dayAfter(cursor, step), today));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={frame} className={css.calendar} role="dialog" aria-label={t.deviceDay.pick} onKeyDown={move}>
      <div className={css.month}>
        <IconButton
          icon="left"
          size="small"
          label={t.deviceDay.previousMonth}
          onClick={() => setCursor(dayAfter(`${cursor.slice(0, 7)}-01`, -1))}
        />
        <span aria-live="polite">{MONTH.format(noonOf(cursor))}</span>
        <IconButton
          icon="right"
          size="small"
          label={t.deviceDay.nextMonth}
          disabled={cursor.slice(0, 7) >= today.slice(0, 7)}
          onClick={() => setCursor(earlier(dayAfter(dayKey(noons.at(-1)!), 1), today))}
        />
      </div>
      <div className={css.grid}>
        {Array.from({ length: 7 }, (_, weekday) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: The seven days of a week do not change.
          <span key={weekday} className={css.weekday} aria-hidden="true">
            {WEEKDAY.format(new Date(2024, 0, 1 + weekday))}
          </span>
        ))}
        {noons.map((noon, index) => {
          const key = dayKey(noon);
          const one = byDay.get(key);
          const hasTrips = one !== undefined && one.trips > 0;
          return (
            <button
              key={key}
              type="button"
              data-cursor={key === cursor || undefined}
              tabIndex={key === cursor ? 0 : -1}
              disabled={key > today}
              style={index === 0 ? { gridColumnStart: weekdayOf(noon) + 1 } : undefined}
              className={classes(css.day, key === day && css.chosen, key === today && css.today)}
              aria-current={key === day ? 'date' : undefined}
              aria-label={
                hasTrips
                  ? t.deviceDay.dayWith({ day: date(noon), trips: one.trips, distance: format.distance(one.distance) })
                  : t.deviceDay.dayWithout({ day: date(noon) })
              }
              title={hasTrips ? format.distance(one.distance) : undefined}
              onClick={() => onDay(key)}
            >
              {noon.getDate()}
              {hasTrips && <span className={css.dot} style={{ opacity: 0.4 + (0.6 * one.distance) / most }} />}
            </button>
          );
        })}
      </div>
      <Button size="small" kind="quiet" fills onClick={() => onDay(today)}>
        {t.deviceDay.today}
      </Button>
    </div>
  );
}

const earlier = (one: string, other: string) => (one < other ? one : other);

/** Noon of each day of a month, and the range of the month for the API. */
function monthOf(month: string): { noons: Date[]; range: { from: string; to: string } } {
  const [year, number] = month.split('-').map(Number) as [number, number];
  const length = new Date(year, number, 0).getDate();
  return {
    noons: Array.from({ length }, (_, index) => new Date(year, number - 1, index + 1, 12)),
    range: {
      from: new Date(year, number - 1, 1).toISOString(),
      to: new Date(new Date(year, number, 1).getTime() - 1).toISOString(),
    },
  };
}
