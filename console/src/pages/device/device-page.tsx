import { Suspense } from 'react';
import { Link, useLocation } from 'wouter';
import { useRead } from '../../api/calls.ts';
import { isRefusal } from '../../api/client.ts';
import { type Device, useDevice } from '../../api/devices.ts';
import { t } from '../../texts/t.ts';
import { Badge, ColorDot, Tag } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Page, Row } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Ago } from '../../ui/time.tsx';
import { DeviceActions } from './device-actions.tsx';
import { useLiveDevice } from './device-now.ts';
import { ModeBadge } from './modes/mode-badge.tsx';
import { nameOf } from './name-of.ts';
import { useRights } from './rights.ts';
import { SHEETS } from './sheets.ts';
import { shownSheets } from './shown-sheets.ts';
import { StateBadge } from './state-badge.tsx';
import { tagHref } from './tags/tag.ts';

/** The capabilities of a device rarely change. */
const AGAIN_MS = 60_000;
const back = { href: '/devices', label: t.device.back };

/** All sheets of one device: `/devices/12`, `/devices/12/day/2026-11-15`, `/devices/12/readings?type=temp`. */
export default function DevicePage({ params }: { params: { id: string; sheet?: string; detail?: string } }) {
  const id = /^[1-9]\d{0,15}$/.test(params.id) ? Number(params.id) : 0;
  const query = useDevice(id, { enabled: id > 0 });
  // Asked for together with the device: the tabs depend on it.
  const can = useAbilities(id);
  const isThere = useLiveDevice(id);
  const isAbsent = id === 0 || !isThere || (isRefusal(query.error) && [401, 403, 404].includes(query.error.status));
  if (query.data && !isAbsent) return <KnownDevice key={id} device={query.data} can={can} {...params} />;
  return (
    <Page title={isAbsent ? t.device.noDevice : ''} back={back}>
      {isAbsent ? (
        <EmptyState icon="device" title={t.device.noDeviceHint} action={<ToDevices />} />
      ) : query.error ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Skeleton lines={6} />
      )}
    </Page>
  );
}

const useAbilities = (id: number) =>
  useRead('getDeviceAbilities', { id }, { enabled: id > 0, staleTime: AGAIN_MS, refetchInterval: AGAIN_MS });

const ToDevices = () => (
  <ButtonLink href="/devices" kind="primary" icon="device">
    {t.device.toDevices}
  </ButtonLink>
);

function KnownDevice({
  device,
  can,
  sheet: key,
  detail,
}: {
  device: Device;
  can: ReturnType<typeof useAbilities>;
  sheet?: string;
  detail?: string;
}) {
  const [, navigate] = useLocation();
  const rights = useRights(device.id);
  const sheet = SHEETS.find((one) => one.key === (key ?? SHEETS[0]!.key));
  const shown = can.data && shownSheets(can.data, device.lastConnection === null);
  // The open sheet is always visible, regardless of what the device can do.
  const isShown = ({ key: one }: { key: string }) => one === sheet?.key || shown === undefined || shown.includes(one);
  const tabs = SHEETS.map(({ key: one, label }) => ({ key: one, label }));
  return (
    <Page
      title={nameOf(device)}
      back={back}
      width={sheet?.isWide ? 'full' : 'normal'}
      lead={
        <Row>
          <StateBadge device={device} />
          {device.lastConnection && (
            <span>
              {t.device.seen} <Ago time={device.lastConnection} />
            </span>
          )}
          <ModeBadge deviceId={device.id} />
          {!device.active && <Badge tone="warn">{t.device.inactive}</Badge>}
          {device.color && <ColorDot color={device.color} />}
          {device.type && <Tag>{device.type}</Tag>}
          {device.tags?.map((tag) => (
            <Link key={tag} href={tagHref(tag)} title={t.deviceTags.devicesWith({ tag })}>
              <Tag>{tag}</Tag>
            </Link>
          ))}
          {t.device.rights[rights.right] !== '' && rights.shareId !== null && (
            <Badge tone="info">{t.device.rights[rights.right]}</Badge>
          )}
        </Row>
      }
      actions={<DeviceActions device={device} rights={rights} />}
    >
      {can.isPending ? (
        <Skeleton lines={6} />
      ) : (
        <Tabs
          tabs={tabs.filter(isShown)}
          more={{ label: t.device.advanced, tabs: tabs.filter((tab) => !isShown(tab)) }}
          active={sheet?.key ?? ''}
          onChange={(next) => navigate(`/devices/${device.id}${next === SHEETS[0]!.key ? '' : `/${next}`}`)}
          label={t.device.sheets}
        >
          {sheet ? (
            <Suspense fallback={<Skeleton lines={6} />}>
              <sheet.page device={device} rights={rights} detail={detail} />
            </Suspense>
          ) : (
            <EmptyState icon="search" title={t.device.noSheet}>
              {t.device.noSheetHint}
            </EmptyState>
          )}
        </Tabs>
      )}
    </Page>
  );
}
