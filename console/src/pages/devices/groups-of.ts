import type { DeviceGroup } from '../../api/many/groups.ts';

/** The groups, and their devices. */
export interface Grouping {
  readonly groups: readonly Pick<DeviceGroup, 'id' | 'name' | 'parentId'>[];
  readonly members: readonly { readonly groupId: number; readonly deviceId: number }[];
}

/** The names of each device's groups. */
export function groupNames({ groups, members }: Grouping): ReadonlyMap<number, string> {
  const nameOf = new Map(groups.map(({ id, name }) => [id, name]));
  const names = new Map<number, string>();
  for (const { groupId, deviceId } of members) {
    const name = nameOf.get(groupId);
    if (name === undefined) continue;
    const before = names.get(deviceId);
    names.set(deviceId, before === undefined ? name : `${before}, ${name}`);
  }
  return names;
}

/** The devices of a group and its subgroups. */
export function devicesOf(groupId: number, { groups, members }: Grouping): ReadonlySet<number> {
  const below = Map.groupBy(groups, ({ parentId }) => parentId);
  const wanted = new Set([groupId]);
  // Iterating over a set includes elements that are added meanwhile.
  for (const id of wanted) for (const { id: child } of below.get(id) ?? []) wanted.add(child);
  return new Set(members.flatMap(({ groupId: id, deviceId }) => (wanted.has(id) ? [deviceId] : [])));
}
