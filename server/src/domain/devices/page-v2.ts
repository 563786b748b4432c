import { device } from '@trackway/contract/resources/device.ts';
import type { deviceV2 } from '@trackway/contract/resources/v2/device-v2.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import { parseId } from '@trackway/contract/values.ts';
import type { Call, CallOf, Handlers } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { badRequest } from '../../platform/errors.ts';
import type { Dialect } from '../../platform/storage/dialect.ts';
import type { Cell } from '../../platform/storage/shape.ts';
import { modelNotFound } from '../../refusals.ts';
import { familyOf, ownerOf, pageOf, unlessBusy } from '../family.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store } from '../schema/tables.ts';
import { EVERY_DEVICE, visibleTo, withinToken } from './access.ts';
import { includedV2, showDeviceV2 } from './include-v2.ts';
import { shownTo } from './shown-devices.ts';

type Listing = CallOf<'listDevicesV2'>;
type Conditions = Listing['parameters'];

interface Condition {
  readonly sql: string;
  readonly cells: readonly Cell[];
}

const MAX_LENGTH = 32 * 1024 * 1024;

/** The devices that a caller may see, in pages of version 2. */
export function devicePages(store: Store): Handlers<'listDevicesV2'> {
  const rows = collectionOf(store, 'devices', device);
  const included = store.readWork(includedV2);

  return {
    async listDevicesV2(call) {
      const { caller, now, parameters } = call;
      const scope = narrowed(
        store.dialect,
        call,
        withinToken(caller, caller.admin ? EVERY_DEVICE : visibleTo(caller.userId)),
      );
      const family = familyOf('device', rows, () => shownTo(scope, caller, now));
      const page = await pageOf(family, call, { where: whereOf(parameters), show: showDeviceV2 });
      const include = [...new Set(parameters._include)];
      if (include.length === 0) return page;
      const deviceIds = page.data.map(({ id }) => id);
      const reader = { userId: caller.userId, admin: caller.admin };
      const more = await unlessBusy('searches', included({ deviceIds, include, reader, now }, ownerOf(call)));
      if (JSON.stringify(more).length > MAX_LENGTH)
        throw badRequest('The response would be too large: use a smaller _limit');
      return { ...page, data: page.data.map((one, index) => ({ ...one, ...more[index] })) };
    },
  };
}

/** Conditions that the language of filters has no words for. */
function narrowed(dialect: Dialect, { caller, parameters }: Listing, scope: Scope): Scope {
  const { plate, serial, type, user, reseller, 'config.currentFW': firmware } = parameters;
  const also: Condition[] = [];
  if (plate !== undefined) {
    const sql = `"id" IN (SELECT "deviceId" FROM "vehicles" WHERE LOWER("plate") LIKE LOWER(?) ESCAPE '\\')`;
    also.push({ sql, cells: [beginning(plate)] });
  }
  if (serial !== undefined) also.push(matching(dialect, '"serial"', serial.map(beginning)));
  if (type !== undefined) also.push(matching(dialect, '"type"', type.map(likeText)));
  if (reseller !== undefined) also.push({ sql: '1 = 0', cells: [] });
  if (firmware !== undefined) {
    const sql = '"id" IN (SELECT "deviceId" FROM "deviceConfigs" WHERE LOWER("currentFW") = LOWER(?))';
    also.push({ sql, cells: [firmware] });
  }
  if (user !== undefined) {
    if (!caller.admin) also.push({ sql: '"ownerId" = ?', cells: [caller.userId] });
    also.push(ofUsers(dialect, user));
  }
  return also.reduce<Scope>(
    (one, { sql, cells }) => ({ sql: `(${one.sql}) AND ${sql}`, cells: [...one.cells, ...cells] }),
    scope,
  );
}

/** Devices whose owner, or a user they are shared with, has one of these names or addresses. */
function ofUsers(dialect: Dialect, names: readonly string[]): Condition {
  const patterns = names.map((name) => {
    const part = /^\*(.*)\*$/.exec(name)?.[1];
    return part === undefined ? likeText(name) : `%${likeText(part)}%`;
  });
  const [email, username] = ['u."email"', 'u."username"'].map((column) => matching(dialect, column, patterns)) as [
    Condition,
    Condition,
  ];
  const users = `SELECT u."id" FROM "users" u WHERE ${email.sql} OR ${username.sql}`;
  const cells = [...email.cells, ...username.cells];
  return {
    sql: `("ownerId" IN (${users}) OR "id" IN (SELECT h."deviceId" FROM "shares" h WHERE h."userId" IN (${users})))`,
    cells: [...cells, ...cells],
  };
}

/** Whether a text is like one of these patterns, whatever their case. */
const matching = (dialect: Dialect, column: string, patterns: readonly string[]): Condition => ({
  sql: `EXISTS (SELECT 1 FROM (${dialect.textList}) w WHERE LOWER(${column}) LIKE LOWER(w."text") ESCAPE '\\')`,
  cells: [JSON.stringify(patterns)],
});

const likeText = (text: string) => text.replaceAll(/[\\%_]/g, '\\$&');

/** Conditions on the device itself, in the language of filters. */
function whereOf(conditions: Conditions): Record<string, unknown> {
  const { name, tag, active, imei, iccid, id, _connectedSince: since } = conditions;
  const all: object[] = [];
  if (name !== undefined) all.push({ name: { ilike: beginning(name) } });
  if (tag !== undefined) all.push({ tags: { ilike: tag.split('*').map(likeText).join('%') } });
  if (active !== undefined) all.push({ active });
  if (imei !== undefined) all.push({ imei: { inq: imei } });
  if (iccid !== undefined) all.push({ iccid: { inq: iccid } });
  if (id !== undefined) all.push({ id: { inq: id.flatMap((one) => parseId(one) ?? []) } });
  if (since !== undefined) all.push({ lastConnection: { gte: since } });
  return all.length === 0 ? {} : { and: all };
}

/** A text, or all that begin with what stands before a star at its end. */
const beginning = (text: string) => (text.endsWith('*') ? `${likeText(text.slice(0, -1))}%` : likeText(text));

/** One device as version 2 shows it to the caller. */
export async function deviceInV2(
  store: Store,
  { caller, now }: Pick<Call, 'caller' | 'now'>,
  deviceId: number,
): Promise<Shown<typeof deviceV2>> {
  const rows = collectionOf(store, 'devices', device);
  const row = await rows.find(shownTo(EVERY_DEVICE, caller, now), deviceId);
  if (row === undefined) throw modelNotFound('device', deviceId);
  return showDeviceV2(rows.present(row));
}
