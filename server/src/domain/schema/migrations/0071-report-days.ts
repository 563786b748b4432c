import type { Migration } from '../../../platform/storage/migrations.ts';

/** Saved reports of certain days, which an older node could not make. */
export const reportDays: Migration = {
  name: '0071-report-days',
  up: `
ALTER TABLE "savedReports" ADD COLUMN "firstDay" {text};
ALTER TABLE "savedReports" ADD COLUMN "lastDay" {text};
`,
};
