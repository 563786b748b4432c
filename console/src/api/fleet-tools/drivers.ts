import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { call, useChange, useRead } from '../calls.ts';

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

const AT_ONCE = 8;

/** The devices that drivers are signed on to now, by the id of the driver. */
export const useVehiclesNow = (deviceIds: readonly number[]) =>
  useQuery({
    queryKey: ['getDeviceDriver', { ids: deviceIds }],
    queryFn: async ({ signal }) => {
      const vehicles = new Map<number, number>();
      for (let first = 0; first < deviceIds.length; first += AT_ONCE) {
        const read = async (id: number) => {
          const { driverId } = await call('getDeviceDriver')({ id }, { signal });
          if (driverId !== null) vehicles.set(driverId, id);
        };
        await Promise.all(deviceIds.slice(first, first + AT_ONCE).map(read));
      }
      return vehicles;
    },
    staleTime: 60_000,
  });
