import type { Migration } from '../../../platform/storage/migrations.ts';

/**
 * Which node keeps the clock of a slot, and until when that holds. Nodes that know nothing of it keep all clocks, as
 * before: whatever falls due is decided once all the same. On SQLite one process has all slots.
 */
export const slotClocks: Migration = {
  name: '0039-slot-clocks',
  suitsOlderNodes: true,
  up: (storeKind) => (storeKind === 'sqlite' ? '-- One process keeps all clocks.' : POSTGRES),
};

const POSTGRES = `
CREATE TABLE "slotClocks" (
  "slot" {integer} PRIMARY KEY,
  "owner" {text},
  "until" {time}
) WITH (fillfactor = 20);
INSERT INTO "slotClocks" ("slot") SELECT generate_series(0, 63);
`;
