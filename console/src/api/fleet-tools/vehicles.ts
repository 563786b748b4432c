import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { call, useChange, useRead } from '../calls.ts';

export type Vehicle = AnswerOf<'getVehicle'>;

export const useVehicle = (deviceId: number) => useRead('getVehicle', { id: deviceId });
export const useUpdateVehicle = () => useChange('updateVehicle', ['getVehicle', 'getVehiclePhoto', 'fleetReport']);

/** The photo as an address for an image. */
export const useVehiclePhoto = (deviceId: number, enabled: boolean) =>
  useQuery({
    queryKey: ['getVehiclePhoto', { id: deviceId }],
    queryFn: async ({ signal }) => {
      const bytes = await call('getVehiclePhoto')({ id: deviceId }, { signal });
      return URL.createObjectURL(new Blob([bytes]));
    },
    enabled,
  }).data;
