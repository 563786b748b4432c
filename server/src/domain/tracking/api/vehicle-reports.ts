import type { BodyOf } from '@trackway/contract/operations.ts';
import type { reportOperations as contract } from '@trackway/contract/resources/report.ts';
import type { Call, Handlers } from '../../../calls.ts';
import { badRequest } from '../../../platform/errors.ts';
import { isTimeZone } from '../../../platform/times.ts';
import { invalidField, modelNotFound } from '../../../refusals.ts';
import type { DeviceAccess } from '../../devices/access.ts';
import { ownerOf, unlessBusy } from '../../family.ts';
import type { ChosenZones } from '../../geofences/seen-fences.ts';
import type { WorkHours } from '../../motion/visits.ts';
import type { Store } from '../../schema/tables.ts';
import { minutesOf } from '../../users/quiet-hours.ts';
import { type VehicleReportWanted, vehicleReport } from './vehicle-report.ts';

type ReportCall = Call<BodyOf<keyof typeof contract>>;
type Parameters = NonNullable<BodyOf<keyof typeof contract>['parameters']>;

const LONGEST_MS = 90 * 86_400_000;
const MOST_ENTRIES = 10_000;
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
const CONTEXT = 'report';

/** Reports about vehicles: what the engine stored, put together when it is asked for. */
export function reportOperations(store: Store, access: Pick<DeviceAccess, 'rightOn'>): Handlers<keyof typeof contract> {
  const reportOf = store.readWork(vehicleReport);

  /** The zones that a caller names must be theirs. */
  async function zonesFor(
    { caller }: ReportCall,
    field: 'workZoneIds' | 'maintenanceZoneIds',
    parameters: Parameters,
    type: string,
  ): Promise<ChosenZones> {
    const ids = parameters[field];
    if (ids === undefined) return { type };
    const wanted = [...new Set(ids)];
    if (wanted.length === 0) return { ids: wanted };
    const own = await store.query
      .selectFrom('geofences')
      .select('id')
      .where('userId', '=', caller.userId)
      .where('id', 'in', wanted)
      .execute();
    const found = new Set(own.map(({ id }) => id));
    const unknown = wanted.find((id) => !found.has(id));
    if (unknown !== undefined)
      throw invalidField(CONTEXT, 'parameters', 'unknown', `${field} names a geofence that is not yours: ${unknown}`);
    return { ids: wanted };
  }

  async function wantedBy(kind: VehicleReportWanted['kind'], call: ReportCall): Promise<VehicleReportWanted> {
    const { caller, now, body } = call;
    const deviceId = body.deviceId!;
    if ((await access.rightOn(caller, deviceId)) === undefined) throw modelNotFound('device', deviceId);
    const [first, last] = body.dateRange!;
    const to = last ?? now;
    if (first !== null && first > to) throw invalidField(CONTEXT, 'dateRange', 'range', 'must not begin after its end');
    const parameters = body.parameters ?? {};
    const tz = parameters.tz || 'UTC';
    if (!isTimeZone(tz))
      throw invalidField(
        CONTEXT,
        'parameters',
        'inclusion',
        'tz must be the name of a time zone, such as Europe/Berlin',
      );
    const { workZoneType = 'work', maintenanceZoneType = 'maintenance' } = parameters;
    return {
      kind,
      deviceId,
      userId: caller.userId,
      now,
      from: Math.max(first ?? Number.NEGATIVE_INFINITY, to - LONGEST_MS),
      to,
      tz,
      hours: hoursOf(parameters.workHours),
      work: await zonesFor(call, 'workZoneIds', parameters, workZoneType),
      maintenance: await zonesFor(call, 'maintenanceZoneIds', parameters, maintenanceZoneType),
    };
  }

  async function report(kind: VehicleReportWanted['kind'], call: ReportCall) {
    const wanted = await wantedBy(kind, call);
    const made = await unlessBusy('reports', reportOf(wanted, ownerOf(call)));
    if (made === 'tooMuch') throw badRequest('too much to search: request a shorter period');
    const { deviceId, from, to } = wanted;
    const head = { deviceId, from: isoOf(from), to: isoOf(to), known: { ignition: made.isIgnitionKnown } };
    return { head, made };
  }

  return {
    async vehicleSummary(call) {
      const { head, made } = await report('summary', call);
      if (!('sums' in made)) throw new Error('A summary was requested.');
      return { ...head, ...made.sums };
    },

    async vehicleActivity(call) {
      const { head, made } = await report('activity', call);
      if (!('activity' in made)) throw new Error('An activity was requested.');
      const { sums, log } = made.activity;
      const entries = log.slice(0, MOST_ENTRIES);
      return {
        ...head,
        ...sums,
        log: entries.map((entry) => ({ ...entry, start: isoOf(entry.start), end: isoOf(entry.end) })),
        isComplete: entries.length === log.length,
      };
    },
  };
}

const isoOf = (at: number) => new Date(at).toISOString();

function hoursOf(sent: Parameters['workHours']): WorkHours | undefined {
  if (sent === undefined) return undefined;
  const [from, to] = [minutesOf(sent.from), minutesOf(sent.to)];
  if (from === undefined || to === undefined || from === to)
    throw invalidField(CONTEXT, 'parameters', 'format', 'workHours must be {"from": "08:00", "to": "17:00"}');
  return { from, to, days: sent.days ?? EVERY_DAY };
}
