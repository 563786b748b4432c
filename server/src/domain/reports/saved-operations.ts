import { CHANNELS } from '@trackway/contract/channels.ts';
import { MOST_REPORT_DAYS } from '@trackway/contract/resources/fleet-report.ts';
import {
  BY_DAYS,
  type savedReportOperations as contract,
  MOST_SAVED_REPORTS,
  savedReport,
} from '@trackway/contract/resources/fleet-tools/saved-report.ts';
import type { Call, Handlers } from '../../calls.ts';
import { childNotFound, invalidField, modelNotFound } from '../../refusals.ts';
import { readPeople } from '../delivery/people.ts';
import type { SendingPolicy } from '../delivery/sending-policy.ts';
import { children, familyOf, listOf, readOf, removeOf, rowOf } from '../family.ts';
import { countRows, getRow } from '../rows.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { addressesOf, recipientState, whyNotReported } from './report-recipients.ts';
import { chosenBy, isGroupSeen, requireColumns, requireZone } from './report-request.ts';
import { midnightOfDay, nextTime } from './schedule.ts';
import { type reportSender, type SavedReport, zoneOf } from './send-report.ts';

const CONTEXT = 'savedReport';

/** Saved reports of users. Access to devices is checked whenever one is generated. */
export function savedReportOperations(
  store: Store,
  { send }: Pick<ReturnType<typeof reportSender>, 'send'>,
  policy: SendingPolicy,
  wakeOutbox: () => void = () => {},
): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'savedReports', savedReport);
  const family = familyOf('savedReport', rows, ({ userId }) => children('userId', userId));

  /** Validates the stored values as a whole, and computes the time of the next mail. */
  async function settle(tx: Tx, id: number, now: number) {
    const row = await tx.selectFrom('savedReports').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const columns = row.columns === null ? null : (JSON.parse(row.columns) as string[]);
    const deviceIds = row.deviceIds === null ? null : (JSON.parse(row.deviceIds) as number[]);
    chosenBy(CONTEXT, { ...row, deviceIds });
    requireColumns(CONTEXT, row.kind, columns);
    if (row.timeZone !== null) requireZone(CONTEXT, 'timeZone', row.timeZone);
    const days = daysOf(row);
    await askRecipients(tx, row, now);
    const user = await getRow(tx, 'users', { id: row.userId }, ['timeZone']);
    const nextAt = nextTime(row, zoneOf(row, user), now) ?? null;
    await tx
      .updateTable('savedReports')
      .set({ nextAt, ...days })
      .where('id', '=', id)
      .execute();
    const settled = await tx.selectFrom('savedReports').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    return rows.present(settled as never);
  }

  /** Asks new addresses, so that they can agree before a report is due. */
  async function askRecipients(tx: Tx, row: SavedReport, now: number): Promise<void> {
    if (row.recipients === null) return;
    const person = (await readPeople(tx, [row.userId])).get(row.userId)!;
    for (const address of addressesOf(row, person)) {
      if (!CHANNELS.email.addressForm.pattern.test(address))
        throw invalidField(CONTEXT, 'recipients', 'format', `contains ${address}, which is not an e-mail address`);
      await whyNotReported(tx, policy, person, address, now);
    }
  }

  async function requireGroup(userId: number, groupId: number | null | undefined): Promise<void> {
    if (groupId && !(await isGroupSeen(store, userId, groupId)))
      throw invalidField(CONTEXT, 'groupId', 'unknown', `names a group you have no access to: ${groupId}`);
  }

  async function stored(call: Call): Promise<SavedReport> {
    await rowOf(family, call);
    const row = await store.query.selectFrom('savedReports').selectAll().where('id', '=', call.key).executeTakeFirst();
    if (row === undefined) throw childNotFound(CONTEXT, call.key);
    return row;
  }

  return {
    listSavedReports: (call) => listOf(family, call),

    async createSavedReport({ userId, body, now }) {
      await requireGroup(userId, body.groupId);
      return store
        .transaction(async (tx) => {
          const count = await countRows(tx.selectFrom('savedReports').where('userId', '=', userId));
          if (count >= MOST_SAVED_REPORTS) {
            const message = `exceeds the limit of ${MOST_SAVED_REPORTS} saved reports: delete one first`;
            throw invalidField(CONTEXT, 'name', 'tooMany', message);
          }
          const made = await rows.insert({ ...body, created: now }, tx, { userId });
          return settle(tx, made.id as number, now);
        })
        .finally(wakeOutbox);
    },

    getSavedReport: (call) => readOf(family, call),

    async updateSavedReport(call) {
      const before = await rowOf(family, call);
      if (call.body.groupId !== before.groupId) await requireGroup(call.userId, call.body.groupId);
      return store
        .transaction(async (tx) => {
          if ((await rows.update(call.key, call.body, tx)) === undefined) throw childNotFound(CONTEXT, call.key);
          return settle(tx, call.key, call.now);
        })
        .finally(wakeOutbox);
    },

    async listReportRecipients({ userId }) {
      const person = (await readPeople(store.query, [userId])).get(userId);
      if (person === undefined) throw modelNotFound('user', userId);
      const saved = await store.query
        .selectFrom('savedReports')
        .select('recipients')
        .where('userId', '=', userId)
        .where('recipients', 'is not', null)
        .execute();
      const addresses = new Set([person.email, ...saved.flatMap((report) => addressesOf(report, person))]);
      return Promise.all(
        [...addresses].map(async (address) => ({ address, state: await recipientState(store.query, person, address) })),
      );
    },

    deleteSavedReport: (call) => removeOf(family, call),

    async sendSavedReport(call) {
      if (await send(await stored(call), call.now, false)) wakeOutbox();
      return readOf(family, call);
    },
  };
}

const DAY_MS = 86_400_000;

/** The fixed days of a report, if it has any: days of another period are dropped. */
function daysOf({ period, firstDay, lastDay, every }: SavedReport): Pick<SavedReport, 'firstDay' | 'lastDay'> {
  if (period !== BY_DAYS) return { firstDay: null, lastDay: null };
  const first = requireDay('firstDay', firstDay);
  const last = requireDay('lastDay', lastDay);
  if (last < first) throw invalidField(CONTEXT, 'lastDay', 'range', 'must not be earlier than firstDay');
  if ((last - first) / DAY_MS >= MOST_REPORT_DAYS)
    throw invalidField(CONTEXT, 'lastDay', 'range', `must be at most ${MOST_REPORT_DAYS - 1} days after firstDay`);
  if (every !== 'never')
    throw invalidField(CONTEXT, 'every', 'inclusion', 'must be never for days: their period does not change');
  return { firstDay, lastDay };
}

function requireDay(field: 'firstDay' | 'lastDay', day: string | null): number {
  if (day === null) throw invalidField(CONTEXT, field, 'presence', `can't be blank for ${BY_DAYS}`);
  const midnight = midnightOfDay(day);
  if (midnight === undefined) throw invalidField(CONTEXT, field, 'date', 'must be a day, such as 2026-06-01');
  return midnight;
}
