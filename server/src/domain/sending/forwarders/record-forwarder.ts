import type { AuditAction } from '@trackway/contract/audit.ts';
import type { Kysely } from 'kysely';
import type { Call } from '../../../calls.ts';
import { recordDeviceAudit } from '../../audit/record.ts';
import type { Tables } from '../../schema/tables.ts';

/** Targets are not part of the entry: an address may contain a secret. */
export const recordForwarder = (
  tx: Kysely<Tables>,
  call: Call,
  action: AuditAction,
  detail: Readonly<Record<string, unknown>>,
) => recordDeviceAudit(tx, call, { action, deviceId: call.deviceId, detail });
