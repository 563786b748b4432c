import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { useRead } from '../../api/calls.ts';
import { useFleet } from '../../api/live/fleet.ts';
import { branchesOf, ME, useGroups } from '../../api/many/groups.ts';
import { useNow } from '../../format/use-format.ts';
import { usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { Columns, Page, Stack } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Alarms } from './alarms.tsx';
import css from './dashboard.module.css';
import { Kilometres } from './kilometres.tsx';
import { Batteries, Counts, Silent } from './now.tsx';
import { overviewOf } from './overview.ts';

const words = t.dashboard;

/** What moves, what is silent, what needs somebody, and how far it all went: of all devices, or of a group. */
export default function DashboardPage() {
  const [search, setSearch] = useSearchParams();
  const groups = branchesOf(useGroups().data ?? []);
  const wanted = Number(search.get('group'));
  const groupId = groups.find(({ group }) => group.id === wanted)?.group.id;
  const members = useRead('listDeviceGroupDevices', { id: ME, fk: groupId ?? 0 }, { enabled: groupId !== undefined });
  const { devices, loading, version } = useFleet();
  const { offlineAfterMin } = usePreferences();
  const now = useNow();
  const only = groupId === undefined ? undefined : members.data?.deviceIds;
  // biome-ignore lint/correctness/useExhaustiveDependencies: The fleet changes in place; its version tells that it did.
  const overview = useMemo(
    () => overviewOf([...devices.values()], { now, offlineAfterMin, only: only && new Set(only) }),
    [version, now, offlineAfterMin, only],
  );
  const isReady = loading !== 'loading' && (groupId === undefined || only !== undefined);
  return (
    <Page title={words.title} lead={words.lead} width="full">
      {!isReady ? (
        <Skeleton lines={6} />
      ) : devices.size === 0 ? (
        <EmptyState
          icon="device"
          title={words.none}
          action={
            <ButtonLink kind="primary" href="/devices">
              {t.shell.devices}
            </ButtonLink>
          }
        >
          {words.noneText}
        </EmptyState>
      ) : (
        <Stack>
          {groups.length > 0 && (
            <div className={css.group}>
              <SelectField
                label={words.group}
                value={groupId === undefined ? '' : String(groupId)}
                onChange={(value) => setSearch(value === '' ? {} : { group: value })}
                choices={[
                  { value: '', label: t.reports.allDevices },
                  ...groups.map(({ group, level }) => ({
                    value: String(group.id),
                    label: `${'\u2003'.repeat(level)}${group.name}`,
                  })),
                ]}
              />
            </div>
          )}
          <Counts overview={overview} />
          <Kilometres groupId={groupId} />
          <Columns>
            <Alarms only={only} />
            <Silent overview={overview} />
            <Batteries overview={overview} />
          </Columns>
        </Stack>
      )}
    </Page>
  );
}
