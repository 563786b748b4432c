import { forgetOld } from '../schema/forget-old.ts';
import type { Store } from '../schema/tables.ts';

export const forgetOldAudit = (store: Store, before: number) => forgetOld(store, 'auditEntries', 'at', before);
