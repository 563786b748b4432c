import { useMemo } from 'react';
import { countsBelow } from '../../api/many/counts-below.ts';
import { type DeviceGroup, useGroupMembers, useGroups } from '../../api/many/groups.ts';
import { t } from '../../texts/t.ts';

const words = t.groups;

/** Says how many devices a group holds itself, and how many the groups below it do. */
export function useDeviceCounts(): (group: DeviceGroup) => string {
  const groups = useGroups().data;
  const members = useGroupMembers().data;
  const below = useMemo(() => groups && members && countsBelow(groups, members), [groups, members]);
  return ({ id, deviceCount }) => {
    const count = below?.get(id) ?? 0;
    if (count === 0) return words.count(deviceCount);
    return deviceCount === 0 ? words.countBelow(count) : `${words.count(deviceCount)} · ${words.countBelow(count)}`;
  };
}
