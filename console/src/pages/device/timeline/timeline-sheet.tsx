import { useMemo, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { count } from '../../../format/quantities.ts';
import { dayKey, day as dayOf } from '../../../format/times.ts';
import { dayName } from '../../../forms/day-name.ts';
import { t } from '../../../texts/t.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Chip, Chips } from '../../../ui/chips.tsx';
import { EmptyState, Loaded } from '../../../ui/states.tsx';
import { DayPicker } from '../day/day-picker.tsx';
import { dayAfter, noonOf, spanOf } from '../day/day-range.ts';
import type { SheetProps } from '../rights.ts';
import { HappeningRow } from './happening-row.tsx';
import { byDay, GROUPS, type Group, type Happening } from './happenings.ts';
import css from './timeline.module.css';
import { useHappenings } from './use-happenings.ts';

/** Number of days shown together. */
const DAYS = 7;
/** Number of events of a day shown at first. */
const FIRST = 100;

/** The events of a device, one week up to the day of the address: `/devices/12/timeline/2026-11-15?show=alarms`. */
export default function TimelineSheet({ device, rights, detail }: SheetProps) {
  const [, navigate] = useLocation();
  const [search, setSearch] = useSearchParams();
  const today = dayKey(Date.now());
  const last = noonOf(detail) !== undefined && detail! < today ? detail! : today;
  const first = dayAfter(last, 1 - DAYS);
  const [from, to] = useMemo(() => [spanOf(first).from, spanOf(last).to], [first, last]);
  const query = useHappenings(device.id, rights, from, to);
  const group = GROUPS.find((one) => one === search.get('show'));
  const show = (next: Group | undefined) => setSearch(next ? { show: next } : {}, { replace: true });
  const go = (day: string) => {
    const path = `/devices/${device.id}/timeline${day >= today ? '' : `/${day}`}`;
    navigate(group ? `${path}?show=${group}` : path);
  };
  return (
    <div className={css.sheet}>
      <div className={css.days}>
        <IconButton
          icon="left"
          kind="plain"
          label={t.deviceTimeline.earlier}
          onClick={() => go(dayAfter(last, -DAYS))}
        />
        <DayPicker
          deviceId={device.id}
          day={last}
          label={t.deviceTimeline.span({ from: dayOf(`${first}T12:00`), to: dayOf(`${last}T12:00`) })}
          onDay={go}
        />
        <IconButton
          icon="right"
          kind="plain"
          label={t.deviceTimeline.later}
          disabled={last >= today}
          onClick={() => go(dayAfter(last, DAYS))}
        />
      </div>
      <Chips label={t.deviceTimeline.show}>
        <Chip isOn={group === undefined} onPress={() => show(undefined)}>
          {t.deviceTimeline.all}
        </Chip>
        {GROUPS.map((one) => (
          <Chip key={one} isOn={group === one} onPress={() => show(group === one ? undefined : one)}>
            {t.deviceTimeline.groups[one]}
          </Chip>
        ))}
      </Chips>
      <Loaded query={query} lines={8}>
        {(all) => {
          const shown = group ? all.filter((one) => one.group === group) : all;
          if (shown.length === 0)
            return (
              <EmptyState
                icon="history"
                title={group ? t.deviceTimeline.emptyOfGroup : t.deviceTimeline.empty}
                action={
                  <Button icon="left" onClick={() => go(dayAfter(last, -DAYS))}>
                    {t.deviceTimeline.earlier}
                  </Button>
                }
              >
                {t.deviceTimeline.emptyHint}
              </EmptyState>
            );
          return byDay(shown).map(({ day, happenings }) => (
            <Day key={`${day} ${group ?? ''}`} day={day} happenings={happenings} deviceId={device.id} />
          ));
        }}
      </Loaded>
    </div>
  );
}

function Day({ day, happenings, deviceId }: { day: string; happenings: readonly Happening[]; deviceId: number }) {
  const [isWhole, setWhole] = useState(false);
  const name = dayName(`${day}T12:00`, Date.now());
  return (
    <section>
      <h2 className={css.day}>{name}</h2>
      <ul className={css.rows} aria-label={t.deviceTimeline.list({ day: name })}>
        {(isWhole ? happenings : happenings.slice(0, FIRST)).map((happening) => (
          <li key={happening.key}>
            <HappeningRow happening={happening} deviceId={deviceId} />
          </li>
        ))}
      </ul>
      {!isWhole && happenings.length > FIRST && (
        <Button kind="quiet" size="small" onClick={() => setWhole(true)}>
          {t.deviceTimeline.showAll({ count: count(happenings.length) })}
        </Button>
      )}
    </section>
  );
}
