import { useState } from 'react';
import { Link } from 'wouter';
import { type DeviceLink, useDeleteLink, useMyLinks } from '../../api/links/links.ts';
import { useNamedDevice } from '../../api/named-device.ts';
import { dateTime } from '../../format/times.ts';
import { useNow } from '../../format/use-format.ts';
import { t } from '../../texts/t.ts';
import { ActDialog } from '../../ui/act-dialog.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, PhoneLine, Table } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';

const words = t.links;

/** The links that the viewer made, for all devices. */
export default function LinksPage() {
  const query = useMyLinks();
  const [revoking, setRevoking] = useState<DeviceLink>();
  const now = useNow();
  const columns: Column<DeviceLink>[] = [
    {
      key: 'device',
      label: words.columns.device,
      cell: (link) => (
        <>
          <DeviceName link={link} />
          <PhoneLine>{words.opened(link.views)}</PhoneLine>
        </>
      ),
    },
    { key: 'shows', label: words.columns.shows, isMinor: true, wraps: 'words', cell: showsOf },
    {
      key: 'opened',
      label: words.columns.opened,
      isMinor: true,
      cell: ({ views, lastViewedAt }) => (
        <>
          {words.opened(views)}
          {lastViewedAt && (
            <>
              {', '}
              <Ago time={lastViewedAt} />
            </>
          )}
        </>
      ),
    },
    {
      key: 'ends',
      label: words.columns.ends,
      cell: ({ expiresAt }) => (Date.parse(expiresAt) <= now ? <Badge>{words.ended}</Badge> : dateTime(expiresAt)),
    },
    {
      key: 'actions',
      label: words.columns.actions,
      align: 'end',
      fits: true,
      cell: (link) => <RevokeButton link={link} onPress={() => setRevoking(link)} />,
    },
  ];
  return (
    <Page title={words.title} lead={words.lead}>
      <Loaded query={query} lines={5}>
        {(links) =>
          links.length === 0 ? (
            <EmptyState
              icon="share"
              title={words.none}
              action={
                <ButtonLink href="/devices" kind="primary" icon="device">
                  {words.toDevices}
                </ButtonLink>
              }
            >
              {words.noneText}
            </EmptyState>
          ) : (
            <Table columns={columns} rows={links} rowKey={({ id }) => id} caption={words.list} />
          )
        }
      </Loaded>
      {revoking && <RevokeDialog link={revoking} onClose={() => setRevoking(undefined)} />}
    </Page>
  );
}

const useNameOf = ({ deviceId, name }: DeviceLink) => {
  const { device } = useNamedDevice(deviceId);
  return name ?? device?.name ?? words.aDevice(deviceId);
};

function DeviceName({ link }: { link: DeviceLink }) {
  return (
    <Link href={`/devices/${link.deviceId}`}>
      <strong>{useNameOf(link)}</strong>
    </Link>
  );
}

function RevokeButton({ link, onPress }: { link: DeviceLink; onPress: () => void }) {
  return (
    <Button size="small" aria-label={words.revokeOf(useNameOf(link))} onClick={onPress}>
      {words.revoke}
    </Button>
  );
}

const showsOf = ({ trail, destination, destinationName, origins }: DeviceLink) =>
  [
    trail ? words.withTrail : words.withoutTrail,
    ...(destination ? [words.to(destinationName ?? words.aDestination)] : []),
    ...(origins?.length ? [words.embeds(origins.length)] : []),
  ].join('. ');

function RevokeDialog({ link, onClose }: { link: DeviceLink; onClose: () => void }) {
  const revoke = useDeleteLink();
  return (
    <ActDialog
      title={words.revokeTitle(useNameOf(link))}
      action={words.revoke}
      done={words.revoked}
      act={() => revoke.mutateAsync({ id: link.deviceId, fk: link.id })}
      onClose={onClose}
    >
      {words.revokeText}
    </ActDialog>
  );
}
