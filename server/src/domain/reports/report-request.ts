import type { TokenFamily } from '@trackway/contract/families.ts';
import { type FleetReportKind, MOST_REPORT_DAYS, REPORT_COLUMNS } from '@trackway/contract/resources/fleet-report.ts';
import type { Caller } from '../../calls.ts';
import { isTimeZone } from '../../platform/times.ts';
import { accessDenied, invalidField } from '../../refusals.ts';
import { EVERY_DEVICE, visibleTo, withinToken } from '../devices/access.ts';
import type { ChosenDevices } from './report-row.ts';

const DAY_MS = 86_400_000;

/** Families that a limited token needs in addition to trips. */
const FAMILY: { readonly [Kind in FleetReportKind]?: TokenFamily } & { readonly visits: TokenFamily } = {
  visits: 'geofences',
  readings: 'readings',
  drivers: 'readings',
  notifications: 'notifications',
  messages: 'messages',
};

/** @param isOfFences whether geofences were selected */
export function requireFamily(caller: Caller, kind: FleetReportKind, isOfFences: boolean): void {
  const family = FAMILY[kind];
  if (family !== undefined && !reachesFamily(caller, family)) throw accessDenied();
  if ((kind === 'visits' || ((kind === 'speeding' || kind === 'drivers') && isOfFences)) && !reachesFences(caller))
    throw accessDenied();
}

const reachesFamily = ({ scope }: Caller, family: TokenFamily) =>
  scope?.families === undefined || scope.families.includes(family);

/** Geofences belong to a user, so a token for certain devices has no access to them. */
export const reachesFences = (caller: Caller) =>
  caller.scope?.deviceIds === undefined && reachesFamily(caller, FAMILY.visits);

/** The devices that a caller may view. */
export function scopeFor(caller: Caller) {
  const isLimited = caller.scope?.deviceIds !== undefined;
  return withinToken(caller, caller.admin && !isLimited ? EVERY_DEVICE : visibleTo(caller.userId));
}

export function requireZone(context: string, field: string, tz: string): void {
  if (!isTimeZone(tz))
    throw invalidField(context, field, 'inclusion', 'must be the name of a time zone, such as Europe/Berlin');
}

export function requireRange(context: string, from: number, to: number): void {
  if (from >= to) throw invalidField(context, 'to', 'range', 'must be later than from');
  if (to - from > MOST_REPORT_DAYS * DAY_MS)
    throw invalidField(context, 'to', 'range', `must be at most ${MOST_REPORT_DAYS} days after from`);
}

interface SentChoices {
  readonly deviceIds?: readonly number[] | null;
  readonly groupId?: number | null;
  readonly tag?: string | null;
}

/** One way of selecting devices, or none. */
export function chosenBy(context: string, { deviceIds, groupId, tag }: SentChoices): ChosenDevices {
  const given = Object.entries({ deviceIds, groupId, tag }).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  if (given.length > 1)
    throw invalidField(context, given[1]![0], 'exclusion', `cannot be given together with ${given[0]![0]}`);
  if (deviceIds) return { deviceIds: [...new Set(deviceIds)] };
  if (groupId) return { groupId };
  return tag ? { tag } : {};
}

/** Rejects columns that the report kind does not have. */
export function requireColumns(
  context: string,
  kind: FleetReportKind,
  columns: readonly string[] | null | undefined,
): readonly string[] | undefined {
  const known: readonly string[] = REPORT_COLUMNS[kind];
  const unknown = columns?.find((column) => !known.includes(column));
  if (unknown !== undefined)
    throw invalidField(context, 'columns', 'inclusion', `must be among ${known.join(', ')} for ${kind}`);
  return columns ?? undefined;
}
