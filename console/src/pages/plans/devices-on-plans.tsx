import { useId, useState } from 'react';
import { Link } from 'wouter';
import { type Device, useDevices } from '../../api/devices.ts';
import { type Plan, useDevicePlan, useEndDevicePlan } from '../../api/plans.ts';
import { date } from '../../format/times.ts';
import { t } from '../../texts/t.ts';
import { ColorDot } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Loaded, problemOf } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './plans.module.css';

const words = t.plans;
const PAGE = 20;

/** Devices with a plan, earliest expiry first. */
export function DevicesOnPlans({ plans }: { plans: readonly Plan[] }) {
  const heading = useId();
  const [page, setPage] = useState(0);
  // A constant key until a plan ends here: the time of opening is precise enough.
  const [since, setSince] = useState(() => new Date().toISOString());
  const query = useDevices(
    { where: { expires: { gt: since } }, order: ['expires ASC', 'id ASC'], limit: PAGE + 1, skip: page * PAGE },
    { keepsPrevious: true },
  );
  const [ending, setEnding] = useState<Device>();
  const columns: Column<Device>[] = [
    {
      key: 'device',
      label: words.device,
      cell: (device) => (
        <span className={css.device}>
          <ColorDot color={device.color} />
          <Link href={`/devices/${device.id}`}>{nameOf(device)}</Link>
        </span>
      ),
    },
    {
      key: 'plan',
      label: words.plan,
      cell: ({ id }) => <PlanOf deviceId={id} plans={plans} />,
    },
    { key: 'ends', label: words.ends, cell: ({ expires }) => expires && date(expires) },
    {
      key: 'actions',
      label: words.actions,
      align: 'end',
      fits: true,
      cell: (device) => (
        <Button size="small" aria-label={words.endOf({ device: nameOf(device) })} onClick={() => setEnding(device)}>
          {words.end}
        </Button>
      ),
    },
  ];
  return (
    <section className={css.devices} aria-labelledby={heading}>
      <h2 id={heading}>{words.devices}</h2>
      <Loaded query={query}>
        {(devices) =>
          devices.length === 0 ? (
            <p className={css.none}>{words.devicesNone}</p>
          ) : (
            <>
              <Table
                columns={columns}
                rows={devices.slice(0, PAGE)}
                rowKey={({ id }) => id}
                caption={words.devices}
                hasCards
              />
              <Pager page={page} hasMore={devices.length > PAGE} onChange={setPage} />
            </>
          )
        }
      </Loaded>
      {ending && (
        <EndPlan
          device={ending}
          onEnded={() => setSince(new Date().toISOString())}
          onClose={() => setEnding(undefined)}
        />
      )}
    </section>
  );
}

function PlanOf({ deviceId, plans }: { deviceId: number; plans: readonly Plan[] }) {
  const subscription = useDevicePlan(deviceId).data;
  const plan = plans.find(({ id }) => id === subscription?.planId);
  return <>{plan?.displayName ?? plan?.name}</>;
}

function EndPlan({ device, onEnded, onClose }: { device: Device; onEnded: () => void; onClose: () => void }) {
  const end = useEndDevicePlan();
  const confirm = async () => {
    try {
      await end.mutateAsync({ id: device.id });
      toast({ text: words.ended });
      onEnded();
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
    onClose();
  };
  return (
    <ConfirmDialog
      title={words.endTitle({ device: nameOf(device) })}
      action={words.endAction}
      onConfirm={() => void confirm()}
      onClose={onClose}
      isBusy={end.isPending}
    >
      {words.endText}
    </ConfirmDialog>
  );
}

const nameOf = ({ name, id }: Device) => name ?? words.unnamed({ id });
