import { type Static, Type } from 'typebox';
import { answerOf, create, list, operation, read, remove, update } from '../../operation.ts';
import { id, integer, list as listOf, noun, text, time, timeOfDay } from '../../schema.ts';
import { MOST_REPORT_DAYS, reportChoices, reportColumns, reportFileFormat, reportKind } from '../fleet-report.ts';

/** Maximum number of saved reports per user. */
export const MOST_SAVED_REPORTS = 200;

/** Maximum number of addresses that a report is mailed to. */
export const MOST_RECIPIENTS = 10;

/** Whole days of the time zone, relative to the day of the report. A week starts on Monday. */
export const REPORT_PERIODS = ['today', 'yesterday', 'week', 'lastWeek', 'month', 'lastMonth'] as const;
export type ReportPeriod = (typeof REPORT_PERIODS)[number];

/** Fixed days: `firstDay` to `lastDay`. */
export const BY_DAYS = 'days';
export type SavedPeriod = ReportPeriod | typeof BY_DAYS;

const day = (description: string) =>
  text(description, { maxLength: 10, 'x-pattern': '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$' });

export const REPORT_TURNS = ['never', 'day', 'week', 'month'] as const;
export type ReportTurn = (typeof REPORT_TURNS)[number];

/** A saved report, optionally sent by mail. */
export const savedReport = noun(
  'savedReport',
  {
    id: id(),
    name: text('Display name.', { minLength: 1, maxLength: 100 }),
    kind: reportKind(),
    ...reportChoices,
    period: Type.Enum([...REPORT_PERIODS, BY_DAYS], {
      title: 'report period',
      description:
        'Period that it covers, in whole days: `week` the last seven days including today, `lastWeek` Monday to Sunday of the week before, `month` this month, `lastMonth` the month before, `days` those from `firstDay` to `lastDay`.',
    }),
    firstDay: day('Of `days`: the first day, as `2026-06-01`, in its time zone.'),
    lastDay: day(`Of \`days\`: the last day, which is part of it; together at most ${MOST_REPORT_DAYS} days.`),
    columns: reportColumns(),
    format: reportFileFormat(),
    every: Type.Enum([...REPORT_TURNS], {
      title: 'report turn',
      description: 'How often it is mailed. `days` allows only `never`, because its period does not change.',
      default: 'never',
    }),
    time: Type.String({ ...timeOfDay('Time of day for mailing, in its time zone.'), default: '07:00' }),
    weekday: integer('Weekday for mailing: 0 Sunday … 6 Saturday.', {
      minimum: 0,
      maximum: 6,
      default: 1,
    }),
    monthday: integer('Day of the month for mailing.', { minimum: 1, maximum: 28, default: 1 }),
    timeZone: text(
      'Time zone of its days and times, as an IANA name. Defaults to the time zone of the user, or else UTC.',
      {
        maxLength: 100,
      },
    ),
    recipients: listOf(
      Type.String({ minLength: 3, maxLength: 320 }),
      'E-mail addresses that receive it. The address of the user if absent. Addresses that are not the confirmed address of a user of this server are asked for consent first.',
      { 'x-texts': true, minItems: 1, maxItems: MOST_RECIPIENTS },
    ),
    nextAt: time('When it is mailed next.', { readOnly: true }),
    lastAt: time('When it was last created for e-mail.', { readOnly: true }),
    lastResult: text(
      'Result: `sent` to the outbox, `sent to` some of its recipients with the reason, or the reason why it was not sent.',
      { readOnly: true },
    ),
    created: time('When it was saved.', { readOnly: true }),
  },
  {
    required: ['name', 'kind', 'period'],
    always: ['name', 'kind', 'period', 'format', 'every', 'time', 'weekday', 'monthday', 'created'],
  },
);

const recipient = Type.Object(
  {
    address: Type.String({ description: 'E-mail address.' }),
    state: Type.Enum(['confirmed', 'waiting', 'notAsked', 'declined'], {
      title: 'report recipient state',
      description:
        '`confirmed`: gets reports. `waiting`: was asked by mail and has not agreed yet. `notAsked`: was not asked yet, or is the unconfirmed address of the user. `declined`: refused mail, or stopped these reports by a link in one.',
    }),
  },
  { title: 'report recipient' },
);
export type ReportRecipient = Static<typeof recipient>;

const path = '/users/{id}/savedReports';

export const savedReportOperations = {
  listSavedReports: list(savedReport, path, 'self'),
  createSavedReport: create(savedReport, path, 'self', {
    summary: 'Save a report',
    description: `A user can save at most ${MOST_SAVED_REPORTS} reports. Permissions are checked each time the report is created.`,
  }),
  getSavedReport: read(savedReport, `${path}/{fk}`, 'self'),
  updateSavedReport: update(savedReport, `${path}/{fk}`, 'self'),
  deleteSavedReport: remove(savedReport, `${path}/{fk}`, 'self'),
  listReportRecipients: operation('GET', '/users/{id}/reportRecipients', 'self', {
    summary: 'List the recipients of saved reports',
    description: 'The address of the user, and all other addresses in `recipients` of saved reports, with their state.',
    answer: Type.Array(recipient),
    example: { answer: [{ address: 'anna@example.com', state: 'confirmed' }] },
  }),
  sendSavedReport: operation('POST', `${path}/{fk}/send`, 'self', {
    summary: 'Mail a saved report now',
    description:
      'To its recipients, with the rights of its user. `lastResult` contains the result. Its schedule does not change.',
    answer: answerOf(savedReport),
  }),
};
