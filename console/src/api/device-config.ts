import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type ReadOptions, useChange, useRead } from './calls.ts';

export type DeviceConfig = AnswerOf<'getDeviceConfig'>;

export const useDeviceConfig = (deviceId: number, options?: ReadOptions) =>
  useRead('getDeviceConfig', { id: deviceId }, options);
export const useUpdateDeviceConfig = () => useChange('updateDeviceConfig', ['getDeviceConfig']);
