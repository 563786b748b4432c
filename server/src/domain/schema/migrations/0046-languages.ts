import type { Migration } from '../../../platform/storage/migrations.ts';

/** In which language and units people are spoken to. */
export const languages: Migration = {
  name: '0046-languages',
  suitsOlderNodes: true,
  up: `
ALTER TABLE "users" ADD COLUMN "language" {text};
ALTER TABLE "users" ADD COLUMN "units" {json};
`,
};
