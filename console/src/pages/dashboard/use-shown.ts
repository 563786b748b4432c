import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { useRead } from '../../api/calls.ts';
import { useFleet } from '../../api/live/fleet.ts';
import { branchesOf, ME, useGroups } from '../../api/many/groups.ts';
import { useNow } from '../../format/use-format.ts';
import { usePreferences } from '../../preferences.ts';
import { overviewOf } from './overview.ts';

/** What the overview shows: all devices, or the group in the address. */
export function useShown() {
  const [search] = useSearchParams();
  const groups = branchesOf(useGroups().data ?? []);
  const wanted = Number(search.get('group'));
  const group = groups.find(({ group }) => group.id === wanted)?.group;
  const members = useRead('listDeviceGroupDevices', { id: ME, fk: group?.id ?? 0 }, { enabled: group !== undefined });
  const { devices, loading, version } = useFleet();
  const { offlineAfterMin } = usePreferences();
  const now = useNow();
  const only = group === undefined ? undefined : members.data?.deviceIds;
  // biome-ignore lint/correctness/useExhaustiveDependencies: The fleet changes in place; its version changes with it.
  const overview = useMemo(
    () => overviewOf([...devices.values()], { now, offlineAfterMin, only: only && new Set(only) }),
    [version, now, offlineAfterMin, only],
  );
  const isReady = loading !== 'loading' && (group === undefined || only !== undefined);
  return { groups, group, devices, only, overview, now, isReady };
}
