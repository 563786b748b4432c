import { type fleetReportOperations as contract, MOST_REPORT_DAYS } from '@trackway/contract/resources/fleet-report.ts';
import type { Handlers } from '../../../calls.ts';
import { isTimeZone } from '../../../platform/wall-clock.ts';
import { invalidField } from '../../../refusals.ts';
import { EVERY_DEVICE, visibleTo, withinToken } from '../../devices/access.ts';
import { ownerOf, unlessBusy } from '../../family.ts';
import type { Store } from '../../schema/tables.ts';
import { fleetReport } from './fleet-report.ts';

const DAY_MS = 86_400_000;
const CONTEXT = 'fleetReport';

/** Reports on several devices, made of what the engine stored. */
export function fleetReportOperations(store: Store): Handlers<keyof typeof contract> {
  const reportOf = store.readWork(fleetReport);
  return {
    async fleetReport(call) {
      const { caller, body } = call;
      const kind = body.kind!;
      const [from, to] = [timeOf(body.from), timeOf(body.to)];
      const tz = body.tz || 'UTC';
      if (from >= to) throw invalidField(CONTEXT, 'to', 'range', 'must be later than from');
      if (to - from > MOST_REPORT_DAYS * DAY_MS)
        throw invalidField(CONTEXT, 'to', 'range', `must be at most ${MOST_REPORT_DAYS} days after from`);
      if (!isTimeZone(tz))
        throw invalidField(CONTEXT, 'tz', 'inclusion', 'must be the name of a time zone, such as Europe/Berlin');
      const isLimited = caller.scope?.deviceIds !== undefined;
      const scope = withinToken(caller, caller.admin && !isLimited ? EVERY_DEVICE : visibleTo(caller.userId));
      const deviceIds = body.deviceIds ? [...new Set(body.deviceIds)] : undefined;
      const wanted = { kind, scope, from, to, tz, ...(deviceIds && { deviceIds }) };
      const { rows, isComplete, unknown } = await unlessBusy('reports', reportOf(wanted, ownerOf(call)));
      if (unknown !== undefined)
        throw invalidField(CONTEXT, 'deviceIds', 'unknown', `names a device you have no access to: ${unknown}`);
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

const timeOf = (time: string | null | undefined) => new Date(time!).getTime();
const isoOf = (at: number | null) => (at === null ? null : new Date(at).toISOString());
