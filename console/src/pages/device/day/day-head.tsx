import type { Device } from '../../../api/devices.ts';
import { duration } from '../../../format/quantities.ts';
import { dayKey } from '../../../format/times.ts';
import { useFormat } from '../../../format/use-format.ts';
import { t } from '../../../texts/t.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import css from './day-head.module.css';
import { DayPicker } from './day-picker.tsx';
import { dayAfter, spanOf } from './day-range.ts';
import type { Entry } from './entries.ts';
import { ExportMenu } from './export-menu.tsx';

/** The day, its totals, and the download. */
export function DayHead({
  device,
  day,
  entries,
  chosen,
  onDay,
  onCorridor,
}: {
  device: Device;
  day: string;
  entries: readonly Entry[];
  chosen: Entry | undefined;
  onDay: (day: string) => void;
  /** Creates a geofence along the selected trip. */
  onCorridor: () => void;
}) {
  const format = useFormat();
  const trips = entries.flatMap((entry) => (entry.kind === 'trip' ? [entry.trip] : []));
  const sum = (of: (trip: (typeof trips)[number]) => number) => trips.reduce((all, trip) => all + of(trip), 0);
  const fastest = Math.max(0, ...trips.map(({ maxSpeed }) => maxSpeed));
  const sums: [string, string][] = [
    [t.deviceDay.distance, format.distance(sum(({ distance }) => distance))],
    [t.deviceDay.underWay, duration(sum(({ duration: seconds }) => seconds))],
    // A trip always has a speed: 0 means unknown.
    [t.deviceDay.topSpeed, fastest > 0 ? format.speed(fastest) : '–'],
  ];
  const whole = spanOf(day);
  return (
    <div className={css.head}>
      <div className={css.days}>
        <IconButton icon="left" kind="plain" label={t.deviceDay.previous} onClick={() => onDay(dayAfter(day, -1))} />
        <DayPicker deviceId={device.id} day={day} onDay={onDay} />
        <IconButton
          icon="right"
          kind="plain"
          label={t.deviceDay.next}
          disabled={day >= dayKey(Date.now())}
          onClick={() => onDay(dayAfter(day, 1))}
        />
      </div>
      {trips.length > 0 && (
        <dl className={css.sums}>
          {sums.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {chosen?.kind === 'trip' && (
        <Button icon="fence" onClick={onCorridor}>
          {t.deviceDay.corridor}
        </Button>
      )}
      <ExportMenu
        device={device}
        span={chosen?.kind === 'trip' ? chosen : { ...whole, to: whole.to - 1 }}
        isTrip={chosen?.kind === 'trip'}
      />
    </div>
  );
}
