import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { DeviceGroup } from './groups.ts';

type Members = AnswerOf<'listGroupMembers'>;

/** The number of devices in the subgroups of each group, each device counted once. */
export function countsBelow(groups: readonly DeviceGroup[], members: Members): Map<number, number> {
  const parents = new Map(groups.map(({ id, parentId }) => [id, parentId]));
  const below = new Map<number, Set<number>>();
  for (const { groupId, deviceId } of members)
    for (let id = parents.get(groupId); id !== undefined && id !== null; id = parents.get(id)) {
      const inside = below.get(id) ?? new Set();
      below.set(id, inside.add(deviceId));
    }
  return new Map([...below].map(([id, inside]) => [id, inside.size]));
}
