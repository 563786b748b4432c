import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { duration } from '../../../format/quantities.ts';
import { clock, dateTime, dayKey, exactTime } from '../../../format/times.ts';
import { useFormat } from '../../../format/use-format.ts';
import { happenedIn } from '../../../forms/happened.ts';
import { iconOfType } from '../../../forms/trigger-types.ts';
import { PlaceName, WayName } from '../../../map/place-name.tsx';
import { t } from '../../../texts/t.ts';
import { Badge } from '../../../ui/badge.tsx';
import { classes } from '../../../ui/class-names.ts';
import { Icon } from '../../../ui/icon.tsx';
import type { IconName } from '../../../ui/icons.ts';
import { entryText } from './entry-text.ts';
import type { Happening } from './happenings.ts';
import css from './timeline.module.css';

interface Reported {
  readonly icon: IconName;
  readonly title: ReactNode;
  readonly about?: ReactNode;
  /** The page with details: the map of the day, the notification, the related sheet. */
  readonly href?: string;
  readonly end?: number;
}

/** One event: icon, sentence, time, and a link to its details. */
export function HappeningRow({ happening, deviceId }: { happening: Happening; deviceId: number }) {
  const { icon, title, about, href, end } = useReported(happening, deviceId);
  const content = (
    <>
      <span className={classes(css.mark, css[happening.group])}>
        <Icon name={icon} size={18} />
      </span>
      <span className={css.words}>
        <span className={css.title}>{title}</span>
        {about && <span className={css.about}>{about}</span>}
      </span>
      <time className={css.time} dateTime={new Date(happening.at).toISOString()} title={exactTime(happening.at)}>
        {end === undefined
          ? clock(happening.at)
          : t.deviceTimeline.fromTo({ from: clock(happening.at), to: endOf(happening.at, end) })}
      </time>
    </>
  );
  return href === undefined ? (
    <div className={css.row}>{content}</div>
  ) : (
    <Link href={href} className={classes(css.row, css.leads)}>
      {content}
    </Link>
  );
}

const endOf = (start: number, end: number) => (dayKey(start) === dayKey(end) ? clock(end) : dateTime(end));

function useReported(happening: Happening, deviceId: number): Reported {
  const format = useFormat();
  const device = `/devices/${deviceId}`;
  const day = `${device}/day/${dayKey(happening.at)}`;
  switch (happening.kind) {
    case 'trip': {
      const { id, distance, duration: seconds, maxSpeed, end, startLocation: from, endLocation: to } = happening.trip;
      return {
        icon: 'route',
        title: t.deviceTimeline.trip({ distance: format.distance(distance) }),
        about: (
          <>
            {maxSpeed > 0
              ? `${duration(seconds)} · ${t.deviceDay.most({ speed: format.speed(maxSpeed) })}`
              : duration(seconds)}
            {from && to && <WayName from={from} to={to} deviceId={deviceId} className={css.place} />}
          </>
        ),
        href: `${day}?at=trip-${id}`,
        end: Date.parse(end),
      };
    }
    case 'stop': {
      const { id, duration: seconds, end, location } = happening.stop;
      const title = t.deviceTimeline.stop({ length: duration(seconds) });
      const about = location && <PlaceName at={location} deviceId={deviceId} />;
      return { icon: 'pin', title, about, href: `${day}?at=stop-${id}`, end: Date.parse(end) };
    }
    case 'ignition':
      return {
        icon: 'key',
        title: happening.isOn ? t.deviceTimeline.ignitionOn : t.deviceTimeline.ignitionOff,
        href: `${day}?moment=${new Date(happening.at).toISOString()}`,
      };
    case 'notification': {
      const { id, params, status } = happening.notification;
      const message = happenedIn(params, format.units);
      const isRetracted = status === 'retracted';
      return {
        icon: iconOfType(String(params.type)),
        title: isRetracted ? <del>{message}</del> : message,
        about: isRetracted ? <Badge tone="danger">{t.deviceTimeline.retracted}</Badge> : undefined,
        href: `/notifications/${id}`,
      };
    }
    case 'entry': {
      const { type, meta } = happening.entry;
      const [icon, sheet] = LOOKS[type.split('/')[0]!] ?? ['info', undefined];
      return {
        icon,
        title: entryText(happening.entry),
        about: meta.text,
        ...(sheet !== undefined && { href: `${device}${sheet}` }),
      };
    }
  }
}

/** By the first part of the type: the icon, and the related sheet of the device. */
const LOOKS: Record<string, readonly [IconName, string?]> = {
  devicemessage: ['message', '/messages'],
  plans: ['plan'],
  activation: ['device', ''],
  bootloader: ['download', '/config'],
  pairing: ['share', '/access'],
  sim: ['phone', ''],
  backendnote: ['warning', '/quarantine'],
};
