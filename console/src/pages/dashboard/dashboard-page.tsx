import { lazy, Suspense } from 'react';
import { Link, useSearchParams } from 'wouter';
import { t } from '../../texts/t.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { Card, Columns, Page, Stack } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Alarms } from './alarms.tsx';
import css from './dashboard.module.css';
import { Batteries, Counts, Silent } from './now.tsx';
import { peopleOf } from './overview.ts';
import { People } from './people.tsx';
import { AlertsByDay, DrivenByDay, useLastDays } from './per-day.tsx';
import { Speeders } from './speeders.tsx';
import { useShown } from './use-shown.ts';

const FleetMap = lazy(() => import('./fleet-map.tsx'));
const words = t.dashboard;

/** Moving and silent devices, open alarms and distances, for all devices or a group. */
export default function DashboardPage() {
  const [, setSearch] = useSearchParams();
  const { groups, group, devices, only, overview, now, isReady } = useShown();
  const groupId = group?.id;
  const days = useLastDays();
  const people = peopleOf([...devices.values()]);
  const isHome = people.length > 0 && groupId === undefined;
  return (
    <Page
      title={words.title}
      lead={isHome ? words.people.lead : words.lead}
      width="full"
      {...(devices.size > 0 && {
        actions: (
          <ButtonLink icon="screen" shrinks href={groupId === undefined ? '/wall' : `/wall?group=${groupId}`}>
            {words.wall.title}
          </ButtonLink>
        ),
      })}
    >
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
          {isHome ? <People people={people} now={now} /> : <Counts overview={overview} groupId={groupId} />}
          <Card
            title={t.map.title}
            actions={<Link href={groupId === undefined ? '/' : `/?group=${groupId}`}>{words.openMap}</Link>}
            isFlush
          >
            <div className={css.map}>
              <Suspense fallback={<Skeleton lines={1} height={300} />}>
                <FleetMap only={only} />
              </Suspense>
            </div>
          </Card>
          <Columns>
            <DrivenByDay days={days} groupId={groupId} />
            <AlertsByDay days={days} only={only} />
            <Speeders days={days} groupId={groupId} />
            <Alarms only={only} />
            <Stack>
              <Silent overview={overview} groupId={groupId} />
              <Batteries overview={overview} groupId={groupId} />
            </Stack>
          </Columns>
        </Stack>
      )}
    </Page>
  );
}
