import { defineReadWork, type Workplace } from '../../../platform/storage/work.ts';
import { type ChosenZones, zonesOf } from '../../geofences/seen-fences.ts';
import { legsOf, type ZoneOf } from '../../motion/activity.ts';
import { activityOf, type VehicleSums, vehicleSums } from '../../motion/vehicle-sums.ts';
import { type WorkHours, workSpans } from '../../motion/visits.ts';
import type { Tables } from '../../schema/tables.ts';
import { readTrack, TooManyFixes, type VehicleAsked } from './vehicle-track.ts';

export interface VehicleReportWanted extends VehicleAsked {
  readonly kind: 'summary' | 'activity';
  /** Whose fences count. */
  readonly userId: number;
  readonly work: ChosenZones;
  readonly maintenance: ChosenZones;
  readonly tz: string;
  readonly hours?: WorkHours;
}

type VehicleReport =
  | 'tooMuch'
  | ({ readonly isIgnitionKnown: boolean } & (
      | { readonly sums: VehicleSums }
      | { readonly activity: ReturnType<typeof activityOf> }
    ));

/** What a vehicle did in a range of time: its sums, or its states one after the other. */
export const vehicleReport = defineReadWork(
  import.meta.url,
  async (workplace: Workplace<Tables>, wanted: VehicleReportWanted): Promise<VehicleReport> => {
    const isSummary = wanted.kind === 'summary';
    const none: ChosenZones = { ids: [] };
    const work = await zonesOf(workplace, wanted, isSummary ? wanted.work : none);
    const maintenance = await zonesOf(workplace, wanted, isSummary ? wanted.maintenance : none);
    const hasZones = work.count + maintenance.count > 0;
    try {
      const track = await readTrack(workplace, wanted, { needsAllTracks: !isSummary || hasZones });
      const hours = wanted.hours && work.count > 0 ? workSpans(wanted.hours, wanted.tz, wanted) : undefined;
      const cuts = hours?.flatMap(({ from, to }) => [from, to]);
      const zoneOf: ZoneOf = (place) => (work.contain(place) ? 1 : 0) + (maintenance.contain(place) ? 2 : 0);
      const legs = track ? legsOf(track, cuts, hasZones ? zoneOf : undefined) : [];
      const isIgnitionKnown = legs.some(({ ignition }) => ignition !== undefined);
      if (!isSummary) return { isIgnitionKnown, activity: activityOf(legs) };
      const zones = { isInWork: work.contain, isInMaintenance: maintenance.contain, hours };
      return { isIgnitionKnown, sums: vehicleSums(legs, track?.trips ?? [], track?.covered, zones) };
    } catch (error) {
      if (error instanceof TooManyFixes) return 'tooMuch';
      throw error;
    }
  },
);
