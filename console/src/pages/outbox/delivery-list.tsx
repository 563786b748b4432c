import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useNamedDevice } from '../../api/named-device.ts';
import { type Delivery, useCancelDelivery, useDeliveries, useDestinations } from '../../api/outbox.ts';
import { useNow } from '../../format/use-format.ts';
import { OneDelivery } from '../../forms/one-delivery.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { FilterBar } from '../../ui/fields/filter-bar.tsx';
import { FramedList } from '../../ui/framed-list.tsx';
import { Pager } from '../../ui/pager.tsx';
import { EmptyState, Loaded, problemOf } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import {
  filterOf,
  openFilterOf,
  PAGE,
  PERIODS,
  type Period,
  STATUSES,
  type Status,
  wantedOf,
} from './delivery-filter.ts';
import css from './outbox.module.css';
import { ResendDialog } from './resend-dialog.tsx';
import { kindName, targetName } from './target-name.ts';

const words = t.outbox;
const MINUTE_MS = 60_000;

/** Deliveries by state, destination and time; undelivered ones come first. */
export function DeliveryList() {
  const [search, setSearch] = useSearchParams();
  const wanted = wantedOf(search);
  const { status, period, destination, page } = wanted;
  const now = useNow(MINUTE_MS);
  const minute = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const isAll = status === 'all';
  const remaining = useDeliveries(filterOf(wanted, minute), { keepsPrevious: true });
  const open = useDeliveries(openFilterOf(wanted, minute), { keepsPrevious: true, enabled: isAll && page === 0 });
  const hasOpen = isAll && page === 0 && open.data !== undefined && open.data.length > 0;
  const destinations = useDestinations('mine').data ?? [];
  const [isResending, setResending] = useState(false);
  const set = (key: string, value: string) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      if (key !== 'page') next.delete('page');
      if (value) next.set(key, value);
      else next.delete(key);
      return next;
    });
  return (
    <div className={css.list}>
      <div className={css.filters}>
        <FilterBar
          count={[status !== 'all', destination !== undefined, period !== 'month'].filter(Boolean).length}
          onClear={() => setSearch({})}
        >
          <SelectField<Status>
            label={words.status}
            value={status}
            onChange={(value) => set('status', value === 'all' ? '' : value)}
            choices={STATUSES.map((value) => ({ value, label: words.statuses[value] }))}
          />
          <SelectField
            label={words.destination}
            value={String(destination ?? '')}
            onChange={(value) => set('destination', value)}
            choices={[
              { value: '', label: words.anyDestination },
              ...destinations.map((one) => ({
                value: String(one.id),
                label: `${kindName(one.kind)} · ${targetName(one)}`,
              })),
            ]}
          />
          <SelectField<Period>
            label={words.period}
            value={period}
            onChange={(value) => set('period', value)}
            choices={(Object.keys(PERIODS) as Period[]).map((value) => ({ value, label: words.periods[value] }))}
          />
        </FilterBar>
        <Button icon="refresh" onClick={() => setResending(true)}>
          {words.resendAll}
        </Button>
      </div>
      {hasOpen && open.data && (
        <section className={css.open} aria-label={words.open}>
          <h2 className={css.title}>{words.open}</h2>
          <Deliveries label={words.open} deliveries={open.data.slice(0, PAGE)} />
          {open.data.length > PAGE && <p className={css.soft}>{words.openMore({ count: PAGE })}</p>}
        </section>
      )}
      {hasOpen && remaining.data && remaining.data.length > 0 && <h2 className={css.title}>{words.ended}</h2>}
      <Loaded query={remaining} lines={6}>
        {(deliveries) =>
          deliveries.length === 0 ? (
            status === 'dead' ? (
              <EmptyState icon="check" title={words.emptyDead}>
                {words.emptyDeadText}
              </EmptyState>
            ) : isAll && (!open.data || open.data.length > 0) ? null : (
              <EmptyState icon="outbox" title={words.empty} />
            )
          ) : (
            <>
              <Deliveries label={words.list} deliveries={deliveries.slice(0, PAGE)} />
              <Pager
                page={page}
                hasMore={deliveries.length > PAGE}
                about={words.page({ from: page * PAGE + 1, to: page * PAGE + Math.min(PAGE, deliveries.length) })}
                onChange={(next) => set('page', next === 0 ? '' : String(next))}
              />
            </>
          )
        }
      </Loaded>
      {isResending && <ResendDialog destination={destination} onClose={() => setResending(false)} />}
    </div>
  );
}

const Deliveries = ({ label, deliveries }: { label: string; deliveries: readonly Delivery[] }) => (
  <FramedList label={label}>
    {deliveries.map((delivery) => (
      <li key={delivery.id} className={css.delivery}>
        <About delivery={delivery} />
        <OneDelivery delivery={delivery} />
      </li>
    ))}
  </FramedList>
);

/** The subject of a delivery, and a button to cancel it while it waits. */
function About({ delivery }: { delivery: Delivery }) {
  const { id, userId, what, deviceId, notificationId, created, status } = delivery;
  const cancel = useCancelDelivery();
  const { device } = useNamedDevice(deviceId ?? undefined);
  const stop = async () => {
    try {
      await cancel.mutateAsync({ id: userId, fk: id });
      toast({ text: words.cancelled });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  const name = words.what[what as keyof typeof words.what] ?? what;
  return (
    <div className={css.about}>
      {notificationId === null ? <span>{name}</span> : <Link href={`/notifications/${notificationId}`}>{name}</Link>}
      {deviceId !== null && (
        <Link href={`/devices/${deviceId}`}>{device?.name ?? words.ofDevice({ id: deviceId })}</Link>
      )}
      <Ago time={created} />
      {status === 'queued' && (
        <Button size="small" kind="quiet" isBusy={cancel.isPending} onClick={() => void stop()}>
          {words.cancel}
        </Button>
      )}
    </div>
  );
}
