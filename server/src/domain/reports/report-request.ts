import type { TokenFamily } from '@trackway/contract/families.ts';
import {
  type FleetReportKind,
  MOST_REPORT_DAYS,
  MOST_REPORT_DEVICES,
  REPORT_COLUMNS,
} from '@trackway/contract/resources/fleet-report.ts';
import type { Caller } from '../../calls.ts';
import { fingerprint } from '../../platform/secrets.ts';
import type { Cell } from '../../platform/storage/shape.ts';
import type { Workplace } from '../../platform/storage/work.ts';
import { isTimeZone } from '../../platform/times.ts';
import { accessDenied, invalidField } from '../../refusals.ts';
import { EVERY_DEVICE, visibleTo, withinToken } from '../devices/access.ts';
import { groupsSeenBy } from '../devices/groups/groups.ts';
import { hasTag } from '../devices/tags.ts';
import type { Tables } from '../schema/tables.ts';
import type { ChosenDevices, FleetReportWanted, ReportedDevice } from './report-row.ts';

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

type Reading = Pick<Workplace<Tables>, 'prepare' | 'dialect'>;

/** The request refers to something that the caller does not see. */
export interface UnknownChoice {
  readonly field: 'deviceIds' | 'groupId' | 'fenceIds';
  readonly id: number;
}

/**
 * Devices of a tree of groups: read separately, because with several servers the groups are not where the devices are.
 */
const IN_GROUP = `SELECT DISTINCT m."deviceId" AS "id" FROM "deviceGroupMembers" m WHERE m."groupId" IN (
  WITH RECURSIVE "down" ("id") AS (
    SELECT g."id" FROM "deviceGroups" g WHERE g."id" = ? AND g."deletedAt" IS NULL
    UNION SELECT g."id" FROM "deviceGroups" g JOIN "down" ON g."parentId" = "down"."id" WHERE g."deletedAt" IS NULL)
  SELECT "id" FROM "down")`;

/**
 * The selected devices that the caller may view now; one more than the limit if there are more.
 * @param after devices after this one
 */
export async function chosenDevices(
  workplace: Reading,
  { userId, scope, deviceIds, groupId, tag }: FleetReportWanted,
  after?: number,
): Promise<readonly ReportedDevice[] | UnknownChoice> {
  const conditions = [`(${scope.sql})`];
  const cells: Cell[] = [...scope.cells];
  if (after !== undefined) {
    conditions.push('d."id" > ?');
    cells.push(after);
  }
  const isOneOf = (ids: readonly number[]) => {
    conditions.push(`d."id" IN (SELECT i."id" FROM (${workplace.dialect.idList}) i)`);
    cells.push(JSON.stringify(ids));
  };
  if (deviceIds !== undefined) isOneOf(deviceIds);
  if (groupId !== undefined) {
    if (!(await isGroupSeen(workplace, userId, groupId))) return { field: 'groupId', id: groupId };
    const members = workplace.prepare<{ id: number }>('fleetReport.members', IN_GROUP);
    isOneOf((await members.all(groupId)).map(({ id }) => id));
  }
  // Tags are matched here, so all devices with any tag are read.
  if (tag !== undefined) conditions.push('d."tags" IS NOT NULL');
  const limit = tag === undefined ? ` LIMIT ${MOST_REPORT_DEVICES + 1}` : '';
  // Columns of a scope have no table, so that they are columns of devices alone.
  const sql = `SELECT d."id", d."name", v."plate", d."tags"
    FROM (SELECT * FROM "devices" d WHERE ${conditions.join(' AND ')}) d
    LEFT JOIN "vehicles" v ON v."deviceId" = d."id" ORDER BY d."id"${limit}`;
  // The SQL text depends on the limits of a token.
  const statement = workplace.prepare<ReportedDevice & { tags: string | null }>(
    `fleetReport.devices.${fingerprint(sql)}`,
    sql,
  );
  const found = (await statement.all(...cells)).filter((device) => tag === undefined || hasTag(device, tag));
  const unknown = deviceIds?.find((id) => !found.some((device) => device.id === id));
  if (unknown !== undefined && after === undefined) return { field: 'deviceIds', id: unknown };
  return found.map(({ id, name, plate }) => ({ id, name, plate }));
}

export async function isGroupSeen(workplace: Reading, userId: number, groupId: number): Promise<boolean> {
  const { from } = groupsSeenBy(userId);
  const seen = workplace.prepare('fleetReport.group', `SELECT "id" FROM ${from!.sql} WHERE "id" = ?`);
  return (await seen.get(...from!.cells, groupId)) !== undefined;
}
