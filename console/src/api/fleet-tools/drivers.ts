import type { AnswerOf } from '@trackway/contract/operations.ts';
import { useChange, useRead } from '../calls.ts';

export type Driver = AnswerOf<'getDriver'>;

export const ME = 'me';
const NAMED = ['listDrivers', 'getDriver', 'listDeviceDrivers', 'getDeviceDriver', 'listShifts', 'listTrips'] as const;
const DRIVING = ['getDeviceDriver', 'listShifts', 'listTrips'] as const;

export const useDrivers = () => useRead('listDrivers', { id: ME, filter: { order: 'name', limit: 1000 } });
export const useCreateDriver = () => useChange('createDriver', NAMED);
export const useUpdateDriver = () => useChange('updateDriver', NAMED);
export const useDeleteDriver = () => useChange('deleteDriver', NAMED);

export const useDeviceDriver = (deviceId: number) =>
  useRead('getDeviceDriver', { id: deviceId }, { refetchInterval: 60_000 });
export const useDeviceDrivers = (deviceId: number, enabled: boolean) =>
  useRead('listDeviceDrivers', { id: deviceId }, { enabled });
export const useSignOn = () => useChange('signOnDriver', DRIVING);
export const useSignOff = () => useChange('signOffDriver', DRIVING);
