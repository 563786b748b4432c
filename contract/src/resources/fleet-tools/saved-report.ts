import { Type } from 'typebox';
import { answerOf, create, list, operation, read, remove, update } from '../../operation.ts';
import { id, integer, noun, text, time, timeOfDay } from '../../schema.ts';
import { MOST_REPORT_DAYS, reportChoices, reportColumns, reportFileFormat, reportKind } from '../fleet-report.ts';

/** At most this many saved reports per user. */
export const MOST_SAVED_REPORTS = 200;

/** Whole days of the time zone, counted from the day of the report: they move along. A week begins on Monday. */
export const REPORT_PERIODS = ['today', 'yesterday', 'week', 'lastWeek', 'month', 'lastMonth'] as const;
export type ReportPeriod = (typeof REPORT_PERIODS)[number];

/** Certain days, which stay: `firstDay` to `lastDay`. */
export const BY_DAYS = 'days';
export type SavedPeriod = ReportPeriod | typeof BY_DAYS;

const day = (description: string) =>
  text(description, { maxLength: 10, 'x-pattern': '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$' });

export const REPORT_TURNS = ['never', 'day', 'week', 'month'] as const;
export type ReportTurn = (typeof REPORT_TURNS)[number];

/** A report that is kept, and sent by mail where that is wanted. */
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
        'What it covers, in whole days: `week` the last seven days with today, `lastWeek` Monday to Sunday of the week before, `month` this month, `lastMonth` the month before, `days` those from `firstDay` to `lastDay`.',
    }),
    firstDay: day('Of `days`: the first day, as `2026-06-01`, in its time zone.'),
    lastDay: day(`Of \`days\`: the last day, which is part of it; together at most ${MOST_REPORT_DAYS} days.`),
    columns: reportColumns(),
    format: reportFileFormat(),
    every: Type.Enum([...REPORT_TURNS], {
      title: 'report turn',
      description:
        'How often it is mailed to the address of the user, which must be confirmed. Of `days` only `never`: they do not change.',
      default: 'never',
    }),
    time: Type.String({ ...timeOfDay('Time of day at which it is mailed, in its time zone.'), default: '07:00' }),
    weekday: integer('Day on which it is mailed every week: 0 Sunday … 6 Saturday.', {
      minimum: 0,
      maximum: 6,
      default: 1,
    }),
    monthday: integer('Day of the month on which it is mailed every month.', { minimum: 1, maximum: 28, default: 1 }),
    timeZone: text('Time zone of its days and times, as an IANA name. That of the user if absent, else UTC.', {
      maxLength: 100,
    }),
    nextAt: time('When it is mailed next.', { readOnly: true }),
    lastAt: time('When it was last made to be mailed.', { readOnly: true }),
    lastResult: text('What became of it then: `sent` to the outbox, or why not.', { readOnly: true }),
    created: time('When it was saved.', { readOnly: true }),
  },
  {
    required: ['name', 'kind', 'period'],
    always: ['name', 'kind', 'period', 'format', 'every', 'time', 'weekday', 'monthday', 'created'],
  },
);

const path = '/users/{id}/savedReports';

export const savedReportOperations = {
  listSavedReports: list(savedReport, path, 'self'),
  createSavedReport: create(savedReport, path, 'self', {
    summary: 'Save a report',
    description: `A user can save at most ${MOST_SAVED_REPORTS} reports. What it may tell is asked whenever it is made.`,
  }),
  getSavedReport: read(savedReport, `${path}/{fk}`, 'self'),
  updateSavedReport: update(savedReport, `${path}/{fk}`, 'self'),
  deleteSavedReport: remove(savedReport, `${path}/{fk}`, 'self'),
  sendSavedReport: operation('POST', `${path}/{fk}/send`, 'self', {
    summary: 'Mail a saved report now',
    description:
      'To the address of its user, with the rights of its user. `lastResult` says what became of it. Its schedule stays as it is.',
    answer: answerOf(savedReport),
  }),
};
