import type { Migration } from '../../platform/storage/migrations.ts';
import { schema } from './migrations/0001-schema.ts';

/** In the order they run. A migration that was released never changes. */
export const MIGRATIONS: readonly Migration[] = [schema];
