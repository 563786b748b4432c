import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type ReadOptions, useChange, useRead } from './calls.ts';

/** Special commands of a device. */

export type Mode = AnswerOf<'getTransient'>;

const NEWEST = { order: 'triggeredAt DESC', limit: 20 };
const MODES = ['listTransients', 'countTransients', 'listMessages', 'countMessages'] as const;

/** The requested modes, newest first. */
export const useModes = (deviceId: number, options?: ReadOptions) =>
  useRead('listTransients', { id: deviceId, filter: NEWEST }, options);
export const useFlightMode = () => useChange('flightModeByPost', MODES);
export const useSleep = () => useChange('sleepDeviceByPost', MODES);
export const useWakeUp = () => useChange('wakeUpDeviceByPost', MODES);
export const useUpdateMode = () => useChange('updateTransient', MODES);
export const useDeleteMode = () => useChange('deleteTransient', MODES);

export type FirmwareUpdate = AnswerOf<'getFirmwareUpdate'>;

const FIRMWARE = ['getCurrentFirmware', 'getFirmwareUpdate', 'getDeviceConfig'] as const;
export const useCurrentFirmware = (deviceId: number, options?: ReadOptions) =>
  useRead('getCurrentFirmware', { id: deviceId }, options);
export const useFirmwareUpdate = (deviceId: number, options?: ReadOptions) =>
  useRead('getFirmwareUpdate', { id: deviceId }, options);
export const useRequestFirmware = () => useChange('requestFirmwareUpdate', FIRMWARE);
export const useCancelFirmware = () => useChange('cancelFirmwareUpdate', FIRMWARE);
