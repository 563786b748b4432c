import { useMemo } from 'react';
import { countsBelow } from '../../api/many/counts-below.ts';
import { type DeviceGroup, useGroupMembers, useGroups } from '../../api/many/groups.ts';
import { t } from '../../texts/t.ts';

const words = t.groups;

/** How many devices the groups below each group hold. */
export function useCountsBelow(): ReadonlyMap<number, number> | undefined {
  const groups = useGroups().data;
  const members = useGroupMembers().data;
  return useMemo(() => groups && members && countsBelow(groups, members), [groups, members]);
}

/** Says how many devices a group holds itself, and how many the groups below it do. */
export function useDeviceCounts(): (group: DeviceGroup) => string {
  const below = useCountsBelow();
  return ({ id, deviceCount }) => {
    const count = below?.get(id) ?? 0;
    if (count === 0) return words.count({ count: deviceCount });
    return deviceCount === 0
      ? words.countBelow({ count })
      : `${words.count({ count: deviceCount })} · ${words.countBelow({ count })}`;
  };
}
