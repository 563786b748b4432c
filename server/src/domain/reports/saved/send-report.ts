import { CHANNELS } from '@trackway/contract/channels.ts';
import type { Kysely, Selectable } from 'kysely';
import { post } from '../../../platform/outbox/post.ts';
import { SearchesFull, SearchTooLong } from '../../../platform/storage/database.ts';
import { isTimeZone } from '../../../platform/wall-clock.ts';
import { ALL_SLOTS, isInSlots, type OwnedSlots } from '../../schema/owned-slots.ts';
import type { SavedReportRow } from '../../schema/rows/report-rows.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { type Person, readPeople } from '../../sending/people/people.ts';
import type { SendingPolicy } from '../../sending/sending-policy.ts';
import { linkTo } from '../../users/mail-links/mail-desk.ts';
import { isRefused } from '../../users/mail-links/post-mail.ts';
import { FILE_TYPES, fileNameOf, type ReportFile, type ReportFileWanted, reportFile } from '../files/report-file.ts';
import { chosenBy, scopeFor } from '../report-request.ts';
import { letterOf, SHOWN_ROWS } from './letter.ts';
import { lastTime, nextTime, rangeOfPeriod } from './schedule.ts';

export type SavedReport = Selectable<SavedReportRow>;

export const SENT = 'sent';
const AT_ONCE = 20;
const CHUNK = 500;
const AGAIN_MS = 5 * 60_000;

/** Makes saved reports and hands them to the outbox, with the rights that their users have at that moment. */
export function reportSender(
  store: Store,
  policy: Pick<SendingPolicy, 'publicUrl'>,
  fileOf = store.readWork(reportFile),
) {
  /** Answers whether there is anything to send now. */
  async function sendDue(now: number, owned: OwnedSlots = ALL_SLOTS): Promise<boolean> {
    const due = await store.query
      .selectFrom('savedReports')
      .selectAll()
      .where('nextAt', '<=', now)
      .where(isInSlots('userId', owned.now()))
      .orderBy('nextAt')
      .limit(AT_ONCE)
      .execute();
    let isAny = false;
    for (const report of due) {
      if (!owned.has(report.userId)) continue;
      const isSent = await send(report, now, true);
      isAny ||= isSent;
    }
    return isAny;
  }

  /** @param isDue whether its time has come, rather than that somebody asked for it */
  async function send(report: SavedReport, now: number, isDue: boolean): Promise<boolean> {
    const person = (await readPeople(store.query, [report.userId])).get(report.userId);
    if (person === undefined) return false;
    const tz = zoneOf(report, person);
    // What was missed while nothing ran is sent once, for the last time that was missed.
    const at = isDue ? (lastTime(report, tz, now) ?? now) : now;
    const wanted = wantedOf(report, person, { at, now, tz });
    let made: ReportFile | undefined;
    let nextAt = nextTime(report, tz, now) ?? null;
    let problem = await whyNotMailed(store.query, person);
    if (problem === undefined)
      try {
        const answer = await fileOf(wanted, `user:${report.userId}`);
        if (answer === 'tooMuch') problem = 'there is too much to search: choose a shorter period or fewer devices';
        else if ('unknown' in answer)
          problem = `${answer.unknown.field} names something you do not see: ${answer.unknown.id}`;
        else made = answer;
      } catch (error) {
        if (!(error instanceof SearchesFull || error instanceof SearchTooLong)) throw error;
        problem = isDue ? 'the server is too busy: it is tried again' : 'the server is too busy: try again later';
        nextAt = Math.min(nextAt ?? Number.POSITIVE_INFINITY, now + AGAIN_MS);
      }
    return store.transaction(async (tx) => {
      const lastResult = problem ?? SENT;
      let noted = tx.updateTable('savedReports').set({ lastAt: now, lastResult }).where('id', '=', report.id);
      // Of two processes that made it, one sends it; and nobody does where it was changed or deleted since.
      if (isDue) noted = noted.set({ nextAt }).where('nextAt', '=', report.nextAt);
      const { numUpdatedRows } = await noted.executeTakeFirstOrThrow();
      if (Number(numUpdatedRows) === 0 || made === undefined) return false;
      await postReport(tx, report, person, wanted, made, now);
      return true;
    });
  }

  async function postReport(
    tx: Kysely<Tables>,
    { name, kind, format, userId }: SavedReport,
    person: Person,
    wanted: ReportFileWanted,
    file: ReportFile,
    now: number,
  ): Promise<void> {
    const { from, to, tz, language } = wanted;
    const link = policy.publicUrl === '' ? undefined : linkTo(policy, '/reports');
    const fileName = fileNameOf(wanted);
    const letter = { name, kind, from, to, tz, language, file, fileName, fileType: FILE_TYPES[format] };
    const content = letterOf(link === undefined ? letter : { ...letter, link });
    const address = { kind: 'email', target: CHANNELS.email.server, ownerId: null, address: person.email };
    const [outboxId] = await post(
      tx,
      store.storeKind,
      [{ ...address, userId, deviceId: null, what: 'report', content }],
      now,
    );
    // Until it is sent, the right on each of them is asked again.
    const named = file.deviceIds.map((deviceId) => ({ outboxId: outboxId!, deviceId }));
    for (let start = 0; start < named.length; start += CHUNK)
      await tx
        .insertInto('reportDevices')
        .values(named.slice(start, start + CHUNK))
        .execute();
  }

  return { sendDue, send };
}

export const zoneOf = ({ timeZone }: Pick<SavedReport, 'timeZone'>, user: { readonly timeZone: string | null }) =>
  [timeZone, user.timeZone].find((zone) => zone !== null && isTimeZone(zone)) ?? 'UTC';

async function whyNotMailed(on: Kysely<Tables>, { email, isConfirmed }: Person): Promise<string | undefined> {
  if (!isConfirmed) return 'the e-mail address of the account is not confirmed';
  return (await isRefused(on, email)) ? `${email} does not want mail from this server` : undefined;
}

function wantedOf(
  report: SavedReport,
  { id: userId, isAdmin, speech }: Person,
  { at, now, tz }: { readonly at: number; readonly now: number; readonly tz: string },
): ReportFileWanted {
  const listIn = (text: string | null) => (text === null ? undefined : (JSON.parse(text) as number[]));
  const fenceIds = listIn(report.fenceIds);
  const columns = report.columns === null ? undefined : (JSON.parse(report.columns) as string[]);
  return {
    ...chosenBy('savedReport', { ...report, deviceIds: listIn(report.deviceIds) ?? null }),
    ...(fenceIds && { fenceIds }),
    ...(report.limit !== null && { limitKmh: report.limit }),
    ...(columns && { columns }),
    ...{ kind: report.kind, format: report.format, userId, ...speech, tz, now, shown: SHOWN_ROWS },
    ...rangeOfPeriod(report, tz, at),
    scope: scopeFor({ userId, admin: isAdmin, tokenId: 0 }),
    namesPlaces: true,
  };
}
