import { timeNow } from '../../platform/clock.ts';
import { forgetOld } from '../schema/forget-old.ts';
import type { Store, Tx } from '../schema/tables.ts';

/**
 * The log of events of a device other than its reports: the timeline shows it. An event is recorded in the transaction
 * of its cause and kept for a year.
 */

/** The first part is the type of timeline that lists it. */
export type DeviceEventType =
  | `plans/${'started' | 'renewed' | 'ended' | 'expired'}`
  | `activation/${'created' | 'firstSeen' | 'activated' | 'deactivated' | 'claimed'}`
  | `bootloader/${'firmware' | 'requested' | 'cancelled' | 'configTaken'}`
  | `pairing/${'shared' | 'unshared' | 'owner' | 'keyChanged' | 'contested'}`
  | `sim/${'iccid' | 'imsi' | 'state'}`
  | `backendnote/${'purged' | 'restored' | 'clone'}`;

export interface DeviceEvent {
  readonly deviceId: number;
  readonly type: DeviceEventType;
  /** A sentence in plain English, without secrets. */
  readonly description: string;
  /** Texts by name; what is null or undefined is left out. */
  readonly meta?: Readonly<Record<string, string | number | null | undefined>>;
}

const KEPT_MS = 365 * 86_400_000;

/** @param at when it happened */
export async function recordDeviceEvent(tx: Pick<Tx, 'insertInto'>, event: DeviceEvent, at: number): Promise<void> {
  await tx.insertInto('deviceEvents').values(deviceEventRow(event, at)).execute();
}

const deviceEventRow = ({ deviceId, type, description, meta = {} }: DeviceEvent, at: number) => {
  const texts = Object.entries(meta).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]]));
  // The clock is read here, where the transaction writes: a reader that has read the log up to a time has read
  // everything before it.
  return {
    deviceId,
    recordedAt: Math.max(at, timeNow()),
    at,
    type,
    description,
    meta: JSON.stringify(Object.fromEntries(texts)),
  };
};

/** Records that a device reported for the first time, where it did: called before the connection is noted. */
export async function recordFirstSeen(tx: Tx, deviceId: number, at: number): Promise<void> {
  const device = await tx
    .selectFrom('devices')
    .select('id')
    .where('id', '=', deviceId)
    .where('lastConnection', 'is', null)
    .executeTakeFirst();
  if (device === undefined) return;
  const event = { type: 'activation/firstSeen', description: 'The device reported for the first time.' } as const;
  await recordDeviceEvent(tx, { ...event, deviceId }, at);
}

export const forgetDeviceEvents = (store: Store, now: number) =>
  forgetOld(store, 'deviceEvents', 'recordedAt', now - KEPT_MS);

/** The fields of a device about its SIM card, and the names of the events when they change. */
const SIM_FIELDS = [
  { field: 'iccid', type: 'sim/iccid', description: 'The ICCID of the SIM card changed.' },
  { field: 'imsi', type: 'sim/imsi', description: 'The IMSI of the SIM card changed.' },
  { field: 'simstate', type: 'sim/state', description: 'The state of the SIM card changed.' },
] as const;

/** Numbers are shown by their last digits. */
const SHOWN_DIGITS = 4;

type Fields = Readonly<Record<string, unknown>>;

/** What changes about the SIM card where a device is changed. */
export function simEvents(deviceId: number, before: object, values: Fields): DeviceEvent[] {
  const old = before as Fields;
  return SIM_FIELDS.filter(
    ({ field }) => values[field] !== undefined && (values[field] ?? null) !== (old[field] ?? null),
  ).map(({ field, type, description }) => ({
    deviceId,
    type,
    description,
    meta: { from: shown(field, old[field]), to: shown(field, values[field]) },
  }));
}

const shown = (field: (typeof SIM_FIELDS)[number]['field'], value: unknown): string | undefined =>
  typeof value !== 'string' ? undefined : field === 'simstate' ? value : `…${value.slice(-SHOWN_DIGITS)}`;
