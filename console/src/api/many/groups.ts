import type { AnswerOf, OperationName } from '@trackway/contract/operations.ts';
import { type ReadOptions, useChange, useRead } from '../calls.ts';

export type DeviceGroup = AnswerOf<'getDeviceGroup'>;
export type GroupShare = AnswerOf<'listDeviceGroupShares'>[number];

export const ME = 'me';

export const useGroups = (options?: ReadOptions) =>
  useRead('listDeviceGroups', { id: ME, filter: { order: ['name ASC', 'id ASC'], limit: 10_000 } }, options);
export const useGroupDevices = (fk: number, options?: ReadOptions) =>
  useRead('listDeviceGroupDevices', { id: ME, fk, below: false }, options);
export const useGroupMembers = (options?: ReadOptions) => useRead('listGroupMembers', { id: ME }, options);
export const useGroupShares = (fk: number, options?: ReadOptions) =>
  useRead('listDeviceGroupShares', { id: ME, fk }, options);

/** Operations that read groups and their devices. */
export const GROUP_READS: OperationName[] = [
  'listDeviceGroups',
  'getDeviceGroup',
  'listDeviceGroupDevices',
  'listGroupMembers',
];
export const useCreateGroup = () => useChange('createDeviceGroup', GROUP_READS);
export const useUpdateGroup = () => useChange('updateDeviceGroup', GROUP_READS);
/** Deletes one's own group, or leaves a shared one. */
export const useDeleteGroup = () => useChange('deleteDeviceGroup', GROUP_READS);
export const useRestoreGroup = () => useChange('restoreDeviceGroup', GROUP_READS);
export const usePutIntoGroup = () => useChange('addDeviceGroupDevices', GROUP_READS);
export const useTakeFromGroup = () => useChange('removeDeviceGroupDevices', GROUP_READS);
export const useShareGroup = () => useChange('createDeviceGroupShare', ['listDeviceGroupShares']);
export const useUnshareGroup = () => useChange('deleteDeviceGroupShare', ['listDeviceGroupShares']);

export interface GroupBranch {
  readonly group: DeviceGroup;
  readonly level: number;
}

/** The tree of groups from top to bottom, each with its depth. */
export function branchesOf(groups: readonly DeviceGroup[]): GroupBranch[] {
  const below = Map.groupBy(groups, ({ parentId }) => parentId);
  const branches: GroupBranch[] = [];
  const grow = (parentId: number | null, level: number) => {
    for (const group of below.get(parentId) ?? []) {
      branches.push({ group, level });
      grow(group.id, level + 1);
    }
  };
  grow(null, 0);
  return branches;
}
