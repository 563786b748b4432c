import { MOST_REPORT_DEVICES } from '@trackway/contract/resources/fleet-report.ts';
import { fingerprint } from '../../platform/secrets.ts';
import type { Cell } from '../../platform/storage/shape.ts';
import type { Workplace } from '../../platform/storage/work.ts';
import { groupsSeenBy } from '../devices/groups/groups.ts';
import { hasTag } from '../devices/tags.ts';
import type { Tables } from '../schema/tables.ts';
import type { FleetReportWanted, ReportedDevice } from './report-row.ts';

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
