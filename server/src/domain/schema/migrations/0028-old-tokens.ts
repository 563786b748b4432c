import type { Migration } from '../../../platform/storage/migrations.ts';

/** Tokens that have ended are found by their end, and addresses of a sign-in by their time. */
export const oldTokens: Migration = {
  name: '0028-old-tokens',
  up: `
CREATE INDEX "tokens_end" ON "tokens" (COALESCE("refreshUntil", "expiresAt"));
CREATE INDEX "signInAddresses_at" ON "signInAddresses" ("at");
`,
};
