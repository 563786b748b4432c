import type { Migration } from '../../../platform/storage/migrations.ts';

/** How users like to look at pages. */
export const savedViews: Migration = {
  name: '0047-saved-views',
  suitsOlderNodes: true,
  up: `
CREATE TABLE "savedViews" (
  "id" {id},
  "userId" {integer} NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "page" {text} NOT NULL,
  "name" {text} NOT NULL,
  "settings" {json} NOT NULL,
  "created" {time} NOT NULL
);
CREATE INDEX "savedViews_userId" ON "savedViews" ("userId", "id");
`,
};
