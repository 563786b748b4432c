import type { AnswerOf, OperationName } from '@trackway/contract/operations.ts';
import { type ReadOptions, useChange, useRead } from './calls.ts';

export type GeofenceList = AnswerOf<'getGeofenceList'>;
/** A visible fence: the user's own, or one on a list. */
export type SeenFence = AnswerOf<'listGeofencesV2'>['data'][number];

/** The signed-in user. */
export const SELF = 0;
const MOST = 10_000;

export const useGeofenceLists = (options?: ReadOptions) =>
  useRead('listGeofenceLists', { userid: SELF, _sort: 'name', _limit: MOST }, options);
export const useSeenFences = (options?: ReadOptions) =>
  useRead('listGeofencesV2', { userid: SELF, _sort: 'name', _limit: MOST }, options);
export const useSeenFence = (fenceid: number, options?: ReadOptions) =>
  useRead('getGeofenceV2', { userid: SELF, fenceid, _include: ['list'] }, options);
export const useListSharing = (listid: number, options?: ReadOptions) =>
  useRead('listGeofenceListShares', { userid: SELF, listid }, options);

const FENCES: OperationName[] = ['listGeofencesV2', 'getGeofenceV2'];
const LISTS: OperationName[] = ['listGeofenceLists', 'getGeofenceList', ...FENCES];
const SHARES: OperationName[] = ['listGeofenceListShares', ...FENCES];
/** Each takes `userid: SELF`. */
export const useCreateList = () => useChange('createGeofenceList', LISTS);
export const useUpdateList = () => useChange('updateGeofenceList', LISTS);
/** Deletes one's own list, or leaves a shared one. */
export const useDeleteList = () => useChange('deleteGeofenceList', LISTS);
export const useShareList = () => useChange('shareGeofenceList', SHARES);
export const useUnshareList = () => useChange('unshareGeofenceList', SHARES);
export const useRemoveListMember = () => useChange('removeGeofenceListUser', SHARES);
export const usePutOnList = () => useChange('putGeofenceOnList', FENCES);
export const useTakeOffList = () => useChange('takeGeofenceOffList', FENCES);
