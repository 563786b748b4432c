import { CHANNELS } from '@trackway/contract/channels.ts';
import { messagesIn } from '@trackway/contract/messages/messages.ts';
import { type FleetReportKind, MOST_FILE_ROWS, MOST_REPORT_ROWS } from '@trackway/contract/resources/fleet-report.ts';
import type { Language } from '@trackway/contract/wording/languages.ts';
import type { Selectable } from 'kysely';
import { harmless } from '../../platform/harmless-text.ts';
import type { Content } from '../../platform/outbox/channel.ts';
import { post } from '../../platform/outbox/post.ts';
import { SearchesFull, SearchTooLong } from '../../platform/storage/database.ts';
import { isTimeZone } from '../../platform/times.ts';
import type { Vault } from '../../platform/vault.ts';
import { type Person, readPeople } from '../delivery/people.ts';
import { stopToken } from '../delivery/recipients.ts';
import type { SendingPolicy } from '../delivery/sending-policy.ts';
import { ALL_DEVICES, isOwned, type OwnedDevices } from '../schema/owned-devices.ts';
import type { SavedReportRow } from '../schema/rows/fleet-tool-rows.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { linkTo } from '../users/account-letters.ts';
import {
  cellTextIn,
  FILE_TYPES,
  fileNameOf,
  periodText,
  type ReportFile,
  type ReportFileWanted,
  reportFile,
} from './files/report-file.ts';
import type { ReportCell } from './files/table.ts';
import { addressesOf, recipientId, whyNotReported } from './report-recipients.ts';
import { chosenBy, scopeFor } from './report-request.ts';
import { lastTime, nextTime, rangeOfPeriod } from './schedule.ts';

export type SavedReport = Selectable<SavedReportRow>;

const SENT = 'sent';
const AT_ONCE = 20;
const CHUNK = 500;
const AGAIN_MS = 5 * 60_000;

/** Generates saved reports and adds them to the outbox, with the current rights of their users. */
export function reportSender(
  store: Store,
  policy: SendingPolicy,
  vault: Pick<Vault, 'seal'>,
  fileOf = store.readWork(reportFile),
) {
  /** Returns whether there is anything to send now. */
  async function sendDue(now: number, owned: OwnedDevices = ALL_DEVICES): Promise<boolean> {
    const due = await store.query
      .selectFrom('savedReports')
      .selectAll()
      .where('nextAt', '<=', now)
      .where(isOwned('userId', owned.now()))
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

  /** @param isDue whether its time has come, rather than a request of the user */
  async function send(report: SavedReport, now: number, isDue: boolean): Promise<boolean> {
    const person = (await readPeople(store.query, [report.userId])).get(report.userId);
    if (person === undefined) return false;
    const tz = zoneOf(report, person);
    // Missed reports are sent once, for the last missed time.
    const at = isDue ? (lastTime(report, tz, now) ?? now) : now;
    const wanted = wantedOf(report, person, { at, now, tz });
    let made: ReportFile | undefined;
    let nextAt = nextTime(report, tz, now) ?? null;
    const { addresses, reasons } = await reached(report, person, now);
    let problem = addresses.length === 0 ? reasons.join('; ') : undefined;
    if (problem === undefined)
      try {
        const answer = await fileOf(wanted, `user:${report.userId}`);
        if (answer === 'tooMuch') problem = 'there is too much to search: choose a shorter period or fewer devices';
        else if ('unknown' in answer)
          problem = `${answer.unknown.field} names something you have no access to: ${answer.unknown.id}`;
        else made = answer;
      } catch (error) {
        if (!(error instanceof SearchesFull || error instanceof SearchTooLong)) throw error;
        problem = isDue ? 'the server is too busy: it will be tried again' : 'the server is too busy: try again later';
        nextAt = Math.min(nextAt ?? Number.POSITIVE_INFINITY, now + AGAIN_MS);
      }
    return store.transaction(async (tx) => {
      const lastResult = problem ?? resultOf(addresses, reasons);
      let noted = tx.updateTable('savedReports').set({ lastAt: now, lastResult }).where('id', '=', report.id);
      // If two processes generated it, one sends it; and none does if it was changed or deleted since.
      if (isDue) noted = noted.set({ nextAt }).where('nextAt', '=', report.nextAt);
      const { numUpdatedRows } = await noted.executeTakeFirstOrThrow();
      if (Number(numUpdatedRows) === 0 || made === undefined) return false;
      await postReport(tx, report, person, { wanted, file: made, addresses }, now);
      return true;
    });
  }

  /** The addresses to mail it to, and why the others get none. */
  async function reached(report: SavedReport, person: Person, now: number) {
    return store.transaction(async (tx) => {
      const addresses: string[] = [];
      const reasons: string[] = [];
      for (const address of addressesOf(report, person)) {
        const reason = await whyNotReported(tx, policy, person, address, now);
        if (reason === undefined) addresses.push(address);
        else reasons.push(reason);
      }
      return { addresses, reasons };
    });
  }

  async function postReport(
    tx: Tx,
    { name, kind, format, userId }: SavedReport,
    person: Person,
    { wanted, file, addresses }: { wanted: ReportFileWanted; file: ReportFile; addresses: readonly string[] },
    now: number,
  ): Promise<void> {
    const { from, to, tz, language } = wanted;
    const fileName = fileNameOf(wanted);
    const letter = { name, kind, from, to, tz, language, file, fileName, fileType: FILE_TYPES[format] };
    const mail = { kind: 'email', target: CHANNELS.email.server, ownerId: null, userId, deviceId: null } as const;
    const postings = [];
    for (const address of addresses) {
      const isOwn = address === person.email;
      const stop = linkTo(policy, '/mail/reports', stopToken(vault, await recipientId(tx, userId, address, now)));
      const content = letterOf({
        ...letter,
        ...(policy.publicUrl !== '' && { stop, ...(isOwn && { link: linkTo(policy, '/reports') }) }),
        ...(!isOwn && { sender: person.email }),
      });
      postings.push({ ...mail, address, what: 'report' as const, content });
    }
    const outboxIds = await post(tx, postings, now);
    // Until it is sent, the right on each of them is asked again.
    const named = outboxIds.flatMap((outboxId) => file.deviceIds.map((deviceId) => ({ outboxId, deviceId })));
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

const resultOf = (addresses: readonly string[], reasons: readonly string[]) =>
  reasons.length === 0
    ? SENT
    : `${SENT} to ${addresses.length} of ${addresses.length + reasons.length}: ${reasons.join('; ')}`;

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
    ...{ kind: report.kind, format: report.format, userId, ...speech, tz, now, shown: SHOWN_ROWS, title: report.name },
    mostRows: Math.min(MOST_REPORT_ROWS, MOST_FILE_ROWS[report.format]),
    ...rangeOfPeriod(report, tz, at),
    scope: scopeFor({ userId, admin: isAdmin, tokenId: 0 }),
    namesPlaces: true,
  };
}

/** The mail of a report: its first rows as a table, and the file. */

interface ReportLetter {
  readonly name: string;
  readonly kind: FleetReportKind;
  readonly from: number;
  readonly to: number;
  readonly tz: string;
  readonly language: Language;
  /** The address of the page; undefined if the public address of the console is not configured. */
  readonly link?: string;
  /** The address of the page that stops these reports. */
  readonly stop?: string;
  /** The address of the user who sends it, if it goes to another person. */
  readonly sender?: string;
  readonly file: ReportFile;
  readonly fileName: string;
  readonly fileType: string;
}

/** The file contains all rows. */
const SHOWN_ROWS = 50;

function letterOf(report: ReportLetter): Content {
  const { kind, tz, language, link, stop, sender, file, fileName, fileType } = report;
  const { reportMail: texts, reportWords } = messagesIn(language);
  const name = harmless(report.name);
  const title = `${name}: ${periodText(language, report)}`;
  const about = reportWords.kinds[kind];
  const cellText = cellTextIn(language, tz);
  // Names come from users: they must not become links.
  const cell = (value: ReportCell) => (typeof value === 'string' ? harmless(value) : cellText(value));
  const { head, rows } = file.table;
  const lines = rows.map((row) => row.map(cell));
  const notes = [
    ...(sender ? [texts.sentBy({ from: harmless(sender.replace('@', ' at ')) })] : []),
    file.rowCount === 0
      ? texts.nothing
      : file.rowCount > lines.length
        ? texts.firstRows({ shown: lines.length, all: file.rowCount })
        : texts.rows({ all: file.rowCount }),
    ...(file.isComplete ? [] : [texts.incomplete]),
    texts.attached({ file: fileName }),
  ];
  const base64 = Buffer.from(file.bytes).toString('base64');
  return {
    type: 'text/plain',
    subject: title,
    text: [
      title,
      about,
      '',
      ...lines.map((line) => line.map((text, index) => `${head[index]}: ${text}`).join(' | ')),
      '',
      ...notes,
      ...(link ? ['', link] : []),
      ...(stop ? ['', `${texts.stop}: ${stop}`] : []),
      '',
    ].join('\n'),
    html: `<!doctype html><html lang="${language}"><head><meta charset="utf-8"></head><body><h2>${escaped(title)}</h2><p>${escaped(about)}</p>${
      lines.length === 0 ? '' : tableOf(head, lines)
    }${notes.map((note) => `<p>${escaped(note)}</p>`).join('')}${
      link ? `<p><a href="${escaped(link)}">${escaped(texts.open)}</a></p>` : ''
    }${stop ? `<p><a href="${escaped(stop)}">${escaped(texts.stop)}</a></p>` : ''}</body></html>`,
    attachments: [{ name: fileName, type: fileType, base64 }],
  };
}

const CELL = 'style="border:1px solid #ccc;padding:4px 8px;text-align:left"';
const tableOf = (head: readonly string[], lines: readonly (readonly string[])[]) =>
  `<table style="border-collapse:collapse"><tr>${head.map((label) => `<th ${CELL}>${escaped(label)}</th>`).join('')}</tr>${lines
    .map((line) => `<tr>${line.map((text) => `<td ${CELL}>${escaped(text)}</td>`).join('')}</tr>`)
    .join('')}</table>`;

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
