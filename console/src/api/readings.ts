import type { Filter } from '@trackway/contract/operation.ts';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type ReadOptions, useRead } from './calls.ts';

export type Reading = AnswerOf<'getReading'>;
export type GatewayReading = AnswerOf<'getGatewayReading'>;

/** Readings about a device. */
export const useReadings = (deviceId: number, filter: Filter = {}, options?: ReadOptions) =>
  useRead('listReadings', { id: deviceId, filter }, options);
/** Sightings of a device as a gateway. */
export const useGatewayReadings = (deviceId: number, filter: Filter = {}, options?: ReadOptions) =>
  useRead('listGatewayReadings', { id: deviceId, filter }, options);

export type Nearby = AnswerOf<'nearbyDevices'>[number];
/** Sightings of a device as a gateway since a time, by default within a day: each tag once. */
export const useNearby = (deviceId: number, since?: number, options?: ReadOptions) =>
  useRead('nearbyDevices', { id: deviceId, ...(since !== undefined && { dateRange: [since, null] }) }, options);
