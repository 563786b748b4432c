import { Link, useSearchParams } from 'wouter';
import { type Device, useDevices } from '../../api/devices.ts';
import { useGeofences } from '../../api/geofences.ts';
import { type Trigger, useTriggers } from '../../api/triggers.ts';
import { relative } from '../../format/times.ts';
import { useFormat, useNow } from '../../format/use-format.ts';
import { MadeBy } from '../../forms/made-by.tsx';
import { PauseBadge } from '../../forms/pause-menu.tsx';
import { containing } from '../../forms/pick-device.tsx';
import { draftOfTrigger, isKnownType } from '../../forms/trigger-draft.ts';
import { sentenceOf } from '../../forms/trigger-sentence.ts';
import { iconOfType } from '../../forms/trigger-types.ts';
import { t } from '../../texts/t.ts';
import { ColorDot } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { SearchField } from '../../ui/fields/search-field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Pager } from '../../ui/pager.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import feed from './feed.module.css';
import css from './trigger-list.module.css';

const words = t.triggers;
const PAGE_DEVICES = 20;

/** What each device is watched for, device by device. */
export function TriggerList() {
  const [search, setSearch] = useSearchParams();
  const text = search.get('q')?.trim() ?? '';
  const page = Math.max(0, Number(search.get('page') ?? 0) || 0);
  const query = useDevices(
    {
      ...(text && { where: { name: { ilike: containing(text) } } }),
      order: ['name ASC', 'id ASC'],
      limit: PAGE_DEVICES + 1,
      skip: page * PAGE_DEVICES,
    },
    { keepsPrevious: true },
  );
  const set = (key: string, value: string) => {
    const next = new URLSearchParams(search);
    next.delete('page');
    if (value) next.set(key, value);
    else next.delete(key);
    setSearch(next, { replace: key === 'q' });
  };
  return (
    <div className={css.list}>
      <div className={css.head}>
        <p className={css.soft}>{words.lead}</p>
        <SearchField label={words.searchDevices} value={search.get('q') ?? ''} onChange={(q) => set('q', q)} />
      </div>
      <Loaded query={query} lines={6}>
        {(devices) =>
          devices.length === 0 ? (
            text ? (
              <EmptyState icon="search" title={words.nothingFound} />
            ) : (
              <EmptyState
                icon="device"
                title={words.noDevices}
                action={
                  <ButtonLink href="/" kind="primary">
                    {words.toMap}
                  </ButtonLink>
                }
              >
                {words.noDevicesText}
              </EmptyState>
            )
          ) : (
            <>
              {devices.slice(0, PAGE_DEVICES).map((device) => (
                <DeviceTriggers key={device.id} device={device} />
              ))}
              <Pager
                page={page}
                hasMore={devices.length > PAGE_DEVICES}
                onChange={(next) => set('page', next === 0 ? '' : String(next))}
              />
            </>
          )
        }
      </Loaded>
    </div>
  );
}

function DeviceTriggers({ device }: { device: Device }) {
  const query = useTriggers(device.id);
  const name = device.name ?? words.unnamedDevice(device.id);
  return (
    <section aria-label={name} className={css.device}>
      <header className={css.deviceHead}>
        <ColorDot color={device.color} />
        <Link href={`/devices/${device.id}`} className={css.deviceName}>
          <h2>{name}</h2>
        </Link>
        {query.data?.length === 0 && <span className={classes(css.soft, css.none)}>{words.none}</span>}
        <ButtonLink href={`/notifications/triggers/new?device=${device.id}`} kind="quiet" size="small" icon="plus">
          {words.addShort}
          <span className="unseen">{words.addFor(name)}</span>
        </ButtonLink>
      </header>
      <Loaded query={query} lines={1}>
        {(triggers) =>
          triggers.length > 0 && (
            <ul className={css.rows}>
              {triggers.map((trigger) => (
                <li key={trigger.id}>
                  <TriggerRow trigger={trigger} device={name} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function TriggerRow({ trigger, device }: { trigger: Trigger; device: string }) {
  const { units } = useFormat();
  const now = useNow();
  const fences = useGeofences({ order: 'name ASC' }).data ?? [];
  const sentence = isKnownType(trigger.type)
    ? sentenceOf(draftOfTrigger(trigger), { device, other: words.anotherDevice, fences, units })
    : words.unknownType(trigger.type);
  const { lastTriggered, name, type } = trigger;
  return (
    <Link href={`/notifications/triggers/${trigger.deviceId}/${trigger.id}`} className={feed.row}>
      <span className={feed.mark}>
        <Icon name={iconOfType(type)} size={20} />
      </span>
      <span className={feed.words}>
        <span className={feed.message}>{sentence}</span>
        <span className={feed.about}>
          {name !== type && trigger.meta === null && <span>{name}</span>}
          <MadeBy of={trigger} />
          <PauseBadge of={trigger} />
          {trigger.meta !== null && <span>{t.rules.byRule(name)}</span>}
          <span>{lastTriggered ? words.lastFired(relative(lastTriggered, now)) : words.neverFired}</span>
        </span>
      </span>
      <Icon name="right" size={16} />
    </Link>
  );
}
