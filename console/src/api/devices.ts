import type { Filter } from '@trackway/contract/operation.ts';
import type { AnswerOf, OperationName } from '@trackway/contract/operations.ts';
import { type ReadOptions, useChange, useRead } from './calls.ts';

export type Device = AnswerOf<'getDevice'>;
export type DeviceWithKey = AnswerOf<'createDevice'>;
export type Point = AnswerOf<'getPointV2'>;
export type PointExplanation = AnswerOf<'explainPoint'>;
export type Trip = AnswerOf<'listTrips'>[number];
export type Stop = AnswerOf<'listStops'>[number];
export type DaySummary = AnswerOf<'summarizeDays'>[number];
export type Quarantined = AnswerOf<'listQuarantine'>[number];

const LISTS: OperationName[] = ['listDevices', 'countDevices', 'listUserDevices', 'countUserDevices'];
const ALL: OperationName[] = [...LISTS, 'getDevice'];

export const useDevices = (filter: Filter = {}, options?: ReadOptions) => useRead('listDevices', { filter }, options);
export const useDeviceCount = (where?: Filter['where'], options?: ReadOptions) =>
  useRead('countDevices', where ? { where } : {}, options);
export const useDevice = (id: number, options?: ReadOptions) => useRead('getDevice', { id }, options);
export const useCreateDevice = () => useChange('createDevice', ALL);
export const useClaimDevice = () => useChange('claimDevice', ALL);
export const useUpdateDevice = () => useChange('updateDevice', ALL);
export const useSetTag = () => useChange('setTag', ALL);
export const useRemoveTag = () => useChange('removeTag', ALL);
export const useDeleteDevice = () => useChange('deleteDevice', [...LISTS, 'listDeletedDevices']);
export const useRestoreDevice = () => useChange('restoreDevice', [...ALL, 'listDeletedDevices']);
export const useRotateDeviceKey = () => useChange('rotateDeviceKey');
export const useRevokeDeviceKey = () => useChange('revokeDeviceKey');
export const useDeletedDevices = (filter: Filter = {}, options?: ReadOptions) =>
  useRead('listDeletedDevices', { filter }, options);

export const usePoints = (id: number, filter: Filter, options?: ReadOptions) =>
  useRead('listPointsV2', { id, filter }, options);

/** How a position was determined. */
export const usePointExplanation = (id: number, pointId: number, options?: ReadOptions) =>
  useRead('explainPoint', { id, fk: pointId }, options);

/** A time range, as ISO texts. */
export interface Range {
  readonly from: string;
  readonly to: string;
}
export const useTrips = (id: number, range: Range, options?: ReadOptions) =>
  useRead('listTrips', { id, ...range }, options);
export const useStops = (id: number, range: Range, options?: ReadOptions) =>
  useRead('listStops', { id, ...range }, options);
export const useDays = (id: number, range: Range & { tz: string }, options?: ReadOptions) =>
  useRead('summarizeDays', { id, ...range }, options);
export const useQuarantine = (id: number, filter: Filter = {}, options?: ReadOptions) =>
  useRead('listQuarantine', { id, filter }, options);

const QUARANTINE: OperationName[] = [
  'listQuarantine',
  'countQuarantine',
  'summarizeDeviceQuarantine',
  'summarizeQuarantine',
];
export const useQuarantineCauses = (id: number) => useRead('summarizeDeviceQuarantine', { id });
export const useReleaseDeviceQuarantine = () => useChange('releaseDeviceQuarantine', QUARANTINE);
export const useDiscardDeviceQuarantine = () => useChange('discardDeviceQuarantine', QUARANTINE);
export const useAllQuarantineCauses = () => useRead('summarizeQuarantine', {});
export const useReleaseQuarantine = () => useChange('releaseQuarantine', QUARANTINE);
export const useDiscardQuarantine = () => useChange('discardQuarantine', QUARANTINE);
