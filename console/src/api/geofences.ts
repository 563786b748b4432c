import type { Filter } from '@trackway/contract/operation.ts';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type ReadOptions, useChange, useRead } from './calls.ts';

export type Geofence = AnswerOf<'getGeofence'>;

/** The colour that its owner selected. */
export const colorOf = ({ meta }: Pick<Geofence, 'meta'>): string | undefined =>
  typeof meta?.color === 'string' && /^#[0-9a-f]{6}$/i.test(meta.color) ? meta.color : undefined;

const MINE = 'me';

export const useGeofences = (filter: Filter = {}, options?: ReadOptions) =>
  useRead('listGeofences', { id: MINE, filter }, options);
export const useGeofence = (fk: number, options?: ReadOptions) => useRead('getGeofence', { id: MINE, fk }, options);
const ALL = ['listGeofences', 'countGeofences', 'getGeofence', 'listGeofencesV2', 'getGeofenceV2'] as const;
/** In version 2, whose geofences have thresholds as fields. Each takes `userid: SELF`. */
export const useCreateGeofenceV2 = () => useChange('createGeofenceV2', ALL);
export const useUpdateGeofenceV2 = () => useChange('updateGeofenceV2', ALL);
/** Each takes `id: 'me'`. */
export const useCreateGeofence = () => useChange('createGeofence', ALL);
// A deleted fence is not read again.
export const useDeleteGeofence = () =>
  useChange(
    'deleteGeofence',
    ALL.filter((name) => name !== 'getGeofenceV2'),
  );
