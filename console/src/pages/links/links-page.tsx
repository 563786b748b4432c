import { useState } from 'react';
import { Link } from 'wouter';
import { type AnyLink, isOfGroup, useMyGroupLinks, useMyLinks, useRevokeLink } from '../../api/links/links.ts';
import { type DeviceGroup, useGroups } from '../../api/many/groups.ts';
import { useNamedDevice } from '../../api/named-device.ts';
import { dateTime } from '../../format/times.ts';
import { useNow } from '../../format/use-format.ts';
import { LinkDialog, MadeLink, madeLink } from '../../forms/links/link-dialog.tsx';
import { PickDevice } from '../../forms/pick-device.tsx';
import { t } from '../../texts/t.ts';
import { ActDialog } from '../../ui/act-dialog.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldStack, SelectField } from '../../ui/fields/field.tsx';
import { Page, Row } from '../../ui/page.tsx';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import { type Column, PhoneLine, Table } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';

const words = t.links;

/** The viewer's links of devices and groups, and links of others to the viewer's groups. */
export default function LinksPage() {
  const ofDevices = useMyLinks();
  const ofGroups = useMyGroupLinks();
  const query = ofDevices.data ? ofGroups : ofDevices;
  const [revoking, setRevoking] = useState<AnyLink>();
  const [isMaking, setMaking] = useState(false);
  const [shown, setShown] = useState<string>();
  const now = useNow();
  const links = [...(ofDevices.data ?? []), ...(ofGroups.data ?? [])].toSorted(
    (one, other) => Date.parse(other.created) - Date.parse(one.created),
  );
  const columns: Column<AnyLink>[] = [
    {
      key: 'device',
      label: words.columns.device,
      cell: (link) => (
        <>
          <Subject link={link} />
          <PhoneLine>{showsOf(link)}</PhoneLine>
          <PhoneLine>{words.openedTimes({ times: words.opened({ count: link.views }).toLocaleLowerCase() })}</PhoneLine>
          <PhoneLine>{endOf(link, now)}</PhoneLine>
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
          {words.opened({ count: views })}
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
      isMinor: true,
      wraps: 'words',
      cell: (link) => endOf(link, now),
    },
    {
      key: 'actions',
      label: words.columns.actions,
      align: 'end',
      fits: true,
      cell: (link) => (
        <Row>
          {madeLink(link) !== undefined && <ShowButton link={link} onPress={() => setShown(madeLink(link))} />}
          <RevokeButton link={link} onPress={() => setRevoking(link)} />
        </Row>
      ),
    },
  ];
  return (
    <Page
      title={words.title}
      lead={words.lead}
      {...(links.length > 0 && {
        actions: (
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            {words.new}
          </Button>
        ),
      })}
    >
      <Loaded query={query} lines={5}>
        {() =>
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
            <Table
              columns={columns}
              rows={links}
              rowKey={(link) => `${isOfGroup(link) ? 'group' : 'device'} ${link.id}`}
              caption={words.list}
            />
          )
        }
      </Loaded>
      {isMaking && <NewLink onClose={() => setMaking(false)} />}
      {shown !== undefined && <MadeLink path={shown} onClose={() => setShown(undefined)} />}
      {revoking && <RevokeDialog link={revoking} onClose={() => setRevoking(undefined)} />}
    </Page>
  );
}

/** First the device or the group, then its link. */
function NewLink({ onClose }: { onClose: () => void }) {
  const groups = useGroups().data ?? [];
  const [deviceId, setDeviceId] = useState<number>();
  const [group, setGroup] = useState<DeviceGroup>();
  const { device } = useNamedDevice(deviceId);
  if (group) return <LinkDialog of={{ groupId: group.id }} name={group.name} onClose={onClose} />;
  if (deviceId !== undefined)
    return <LinkDialog of={{ deviceId }} name={device?.name ?? words.aDevice({ id: deviceId })} onClose={onClose} />;
  return (
    <Dialog title={words.new} onClose={onClose}>
      <FieldStack>
        <PickDevice label={t.reports.device} deviceId={undefined} onChange={setDeviceId} />
        {groups.length > 0 && (
          <SelectField
            label={t.deviceList.group}
            value=""
            onChange={(id) => setGroup(groups.find((one) => String(one.id) === id))}
            choices={[{ value: '', label: '–' }, ...groups.map(({ id, name }) => ({ value: String(id), label: name }))]}
          />
        )}
      </FieldStack>
    </Dialog>
  );
}

const endOf = ({ expiresAt }: AnyLink, now: number) =>
  Date.parse(expiresAt) <= now ? <Badge>{words.ended}</Badge> : words.until({ time: dateTime(expiresAt) });

function useNameOf(link: AnyLink): string {
  const groups = useGroups().data ?? [];
  const { device } = useNamedDevice(isOfGroup(link) ? undefined : link.deviceId);
  if (link.name) return link.name;
  if (isOfGroup(link)) return groups.find(({ id }) => id === link.groupId)?.name ?? words.aGroup({ id: link.groupId });
  return device?.name ?? words.aDevice({ id: link.deviceId });
}

function Subject({ link }: { link: AnyLink }) {
  return (
    <Link href={isOfGroup(link) ? `/groups/${link.groupId}` : `/devices/${link.deviceId}`}>
      <strong>{useNameOf(link)}</strong>
    </Link>
  );
}

function RevokeButton({ link, onPress }: { link: AnyLink; onPress: () => void }) {
  return (
    <Button size="small" aria-label={words.revokeOf({ name: useNameOf(link) })} onClick={onPress}>
      {words.revoke}
    </Button>
  );
}

function ShowButton({ link, onPress }: { link: AnyLink; onPress: () => void }) {
  return (
    <Button size="small" icon="share" aria-label={words.showOf({ name: useNameOf(link) })} onClick={onPress}>
      {words.show}
    </Button>
  );
}

const showsOf = (link: AnyLink) => {
  const { trail, destination, destinationName, origins } = link;
  return [
    ...(isOfGroup(link) ? [words.allOfGroup] : []),
    trail ? words.withTrail : words.withoutTrail,
    ...(destination ? [words.to({ place: destinationName ?? words.aDestination })] : []),
    ...(origins?.length ? [words.embeds({ count: origins.length })] : []),
  ].join('. ');
};

function RevokeDialog({ link, onClose }: { link: AnyLink; onClose: () => void }) {
  const revoke = useRevokeLink();
  return (
    <ActDialog
      title={words.revokeTitle({ name: useNameOf(link) })}
      action={words.revoke}
      done={words.revoked}
      act={() => revoke(link)}
      onClose={onClose}
    >
      {words.revokeText}
    </ActDialog>
  );
}
