import type { fleetReportOperations as contract } from '@trackway/contract/resources/fleet-report.ts';
import type { Handlers } from '../../calls.ts';
import { badRequest } from '../../platform/errors.ts';
import { invalidField } from '../../refusals.ts';
import { ownerOf, unlessBusy } from '../family.ts';
import type { Store } from '../schema/tables.ts';
import type { UnknownChoice } from './chosen-devices.ts';
import { type FleetReport, type FleetReportMade, fleetReport } from './fleet-report.ts';
import { chosenBy, requireFamily, requireRange, requireZone, scopeFor } from './report-request.ts';

const CONTEXT = 'fleetReport';

/** Reports on several devices, made of what the engine stored. */
export function fleetReportOperations(store: Store): Handlers<keyof typeof contract> {
  const reportOf = store.readWork(fleetReport);
  return {
    async fleetReport(call) {
      const { caller, body, now } = call;
      const kind = body.kind!;
      requireFamily(caller, kind);
      const [from, to] = [timeOf(body.from), timeOf(body.to)];
      const tz = body.tz || 'UTC';
      requireRange(CONTEXT, from, to);
      requireZone(CONTEXT, 'tz', tz);
      const wanted = {
        ...chosenBy(CONTEXT, body),
        ...(body.fenceIds && { fenceIds: body.fenceIds }),
        ...(body.limit && { limitKmh: body.limit }),
        ...{ kind, userId: caller.userId, scope: scopeFor(caller), from, to, tz, now },
      };
      const { rows, isComplete } = madeOf(CONTEXT, await unlessBusy('reports', reportOf(wanted, ownerOf(call))));
      return {
        kind,
        from: isoOf(from)!,
        to: isoOf(to)!,
        rows: rows.map((row) => ({ ...row, start: isoOf(row.start), end: isoOf(row.end) })),
        isComplete,
      };
    },
  };
}

const WHAT: Readonly<Record<UnknownChoice['field'], string>> = {
  deviceIds: 'a device you have no access to',
  groupId: 'a group you do not see',
  fenceIds: 'a geofence you do not see',
};

/** The report, or the refusal where it cannot be made. */
export function madeOf(context: string, made: FleetReportMade): FleetReport {
  if (made === 'tooMuch') throw badRequest('too much to search: ask for less');
  if (!('unknown' in made)) return made;
  const { field, id } = made.unknown;
  throw invalidField(context, field, 'unknown', `names ${WHAT[field]}: ${id}`);
}

const timeOf = (time: string | null | undefined) => new Date(time!).getTime();
const isoOf = (at: number | null) => (at === null ? null : new Date(at).toISOString());
