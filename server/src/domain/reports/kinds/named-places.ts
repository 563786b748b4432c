import type { Workplace } from '../../../platform/storage/work.ts';
import type { Tables } from '../../schema/tables.ts';
import type { ReportKind } from '../report-row.ts';
import { type SmallestAround, smallestOf, wantedFences } from './wanted-fences.ts';

/** Adds the name of the smallest geofence around each place to the rows of a kind. */
export const namingPlaces =
  (kind: ReportKind): ReportKind =>
  async (workplace, wanted) => {
    const rowsOf = await kind(workplace, wanted);
    if (!wanted.namesPlaces) return rowsOf;
    let around: SmallestAround | undefined;
    return async (device) => {
      const rows = await rowsOf(device);
      if (rows.length === 0) return rows;
      around ??= smallestOf(await namedFences(workplace, wanted.userId));
      for (const row of rows) {
        row.startPlace = row.startLocation && nameOf(around(row.startLocation, device));
        row.endPlace = row.endLocation && nameOf(around(row.endLocation, device));
      }
      return rows;
    };
  };

const nameOf = (fence: { readonly name: string | null } | undefined) => fence?.name ?? null;

/** The fences that can name a place. */
export const namedFences = async (workplace: Pick<Workplace<Tables>, 'prepare'>, userId: number) =>
  (await wantedFences(workplace, userId, undefined)).filter(({ name }) => name);
