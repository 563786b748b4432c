import { specOf } from '@trackway/contract/channels.ts';
import { MOST_FORWARDERS } from '@trackway/contract/resources/forwarding.ts';
import { type Selectable, sql } from 'kysely';
import type { Caller } from '../../calls.ts';
import { because } from '../../platform/because.ts';
import { destinationsFor } from '../../platform/outbox/destinations.ts';
import { invalidField } from '../../refusals.ts';
import { type EndedRights, may, uncovered } from '../rights.ts';
import { countRows } from '../rows.ts';
import { lockDevices } from '../schema/lock-device.ts';
import type { ForwarderRow } from '../schema/rows/sending-rows.ts';
import type { Tx } from '../schema/tables.ts';
import { holdQueue } from './queue-holders.ts';
import { destinationOf } from './targets.ts';

/** A forwarder, as far as sending needs to know it. */
export interface Forwarder {
  readonly id: number;
  readonly userId: number;
  readonly kind: ForwarderRow['kind'];
  readonly target: string;
  readonly types: ReadonlySet<string>;
  /** Whether messages go without their envelope. */
  readonly isRaw: boolean;
  /** Whether it also sends a correction when a notification is retracted. */
  readonly wantsCorrections: boolean;
  /** Set for a user who listens with credentials for the broker. It is not a forwarder created by a user. */
  readonly isListener?: true;
}

/** The enabled forwarders of a device whose users may still manage it. */
export async function readForwarders(on: Tx, deviceId: number): Promise<Forwarder[]> {
  const rows = await on
    .selectFrom('forwarders as f')
    .select(['f.id', 'f.userId', 'f.kind', 'f.target', 'f.types', 'f.raw', 'f.corrections'])
    .where('f.deviceId', '=', deviceId)
    .where('f.active', '=', 1)
    .where(may('manage', 'f.userId', deviceId))
    .orderBy('f.id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    userId: row.userId,
    kind: row.kind,
    target: row.target,
    types: new Set(JSON.parse(row.types) as string[]),
    isRaw: row.raw !== 0,
    wantsCorrections: row.corrections !== 0,
  }));
}

export interface ForwarderSettings {
  readonly kind: ForwarderRow['kind'];
  readonly target: string;
  readonly types: readonly string[];
  readonly raw?: boolean;
  readonly corrections?: boolean;
  readonly active?: boolean;
  readonly origin: ForwarderRow['origin'];
}

interface Asked {
  readonly deviceId: number;
  readonly caller: Caller;
  /** The field that a refusal names. */
  readonly field: 'sqsArn' | 'target';
  readonly now: number;
}

/** Cached forwarders of this device must be read again. */
export type ForwardersChanged = (tx: Tx, deviceId: number) => Promise<void>;

/** Adds, changes and removes forwarders, for all operations that do so. */
export class Forwarders {
  readonly #changed: ForwardersChanged;

  constructor(changed: ForwardersChanged) {
    this.#changed = changed;
  }

  /** Locking the device's row makes calls for one device take turns, on either engine. */
  async takeTurns(tx: Tx, deviceId: number): Promise<void> {
    await lockDevices(tx, [deviceId]);
  }

  async add(tx: Tx, settings: ForwarderSettings, asked: Asked): Promise<{ id: number; destinationId: number }> {
    const { deviceId, caller, field, now } = asked;
    const { kind, target, types, origin } = settings;
    const count = await countRows(tx.selectFrom('forwarders').where('deviceId', '=', deviceId));
    if (count >= MOST_FORWARDERS)
      throw invalidField(
        'forwarder',
        field,
        'tooMany',
        `exceeds the limit of ${MOST_FORWARDERS} forwarders for a device: delete one first`,
      );
    const destinationId = await this.aim(tx, settings, { userId: caller.userId, isAdmin: caller.admin }, field, now);
    const { id } = await tx
      .insertInto('forwarders')
      .values({
        deviceId,
        userId: caller.userId,
        kind,
        target,
        types: JSON.stringify(types),
        raw: settings.raw ? 1 : 0,
        corrections: settings.corrections ? 1 : 0,
        active: settings.active === false ? 0 : 1,
        status: '',
        origin,
        created: now,
        destinationId,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await this.#changed(tx, deviceId);
    return { id, destinationId };
  }

  /** The destination of a target. Refuses one that the user may not use, and switches on one that was off. */
  async aim(
    tx: Tx,
    { kind, target }: Pick<ForwarderSettings, 'kind' | 'target'>,
    user: { readonly userId: number; readonly isAdmin: boolean },
    field: Asked['field'],
    now: number,
  ): Promise<number> {
    const refused = specOf(kind).isHeld ? await holdQueue(tx, target, user, now) : undefined;
    if (refused) throw invalidField(field === 'sqsArn' ? 'forwarding' : 'forwarder', field, 'held', refused);
    const address = destinationOf(kind, target, user.userId);
    const [destinationId] = (await destinationsFor(tx, [address], now)).values();
    await switchOn(tx, destinationId!);
    return destinationId!;
  }

  async change(tx: Tx, id: number, deviceId: number, values: Partial<Selectable<ForwarderRow>>): Promise<void> {
    if (Object.keys(values).length === 0) return;
    await tx.updateTable('forwarders').set(values).where('deviceId', '=', deviceId).where('id', '=', id).execute();
    await this.#changed(tx, deviceId);
  }

  async remove(tx: Tx, forwarder: Pick<Selectable<ForwarderRow>, 'id' | 'deviceId'>, now: number): Promise<void> {
    await endForwarders(tx, [forwarder.id], now);
    await this.#changed(tx, forwarder.deviceId);
  }
}

/** A destination that was gone gets another chance, because a user has just entered it again. */
export async function switchOn(tx: Tx, destinationId: number): Promise<void> {
  await tx
    .updateTable('destinations')
    .set({ state: 'up', failures: 0, nextTryAt: null, downSince: null })
    .where('id', '=', destinationId)
    .where('state', '=', 'off')
    .execute();
}

/** Removes forwarders, and cancels what they have not sent yet. */
async function endForwarders(tx: Tx, ids: readonly number[], now: number): Promise<void> {
  if (ids.length === 0) return;
  const ended = await tx
    .deleteFrom('forwarders')
    .where('id', 'in', [...ids])
    .returning(['id', 'destinationId', 'kind', 'userId'])
    .execute();
  for (const { id, destinationId, kind, userId } of ended) {
    await tx
      .updateTable('outbox')
      .set({ state: 'cancelled', ...because('forwarderRemoved'), ended: now })
      // Spelled as the index on it is.
      .where(sql<boolean>`"state" = 'queued'`)
      // Its target may have been another one before, at a destination of the same user.
      .where('destinationId', 'in', (of) =>
        of
          .selectFrom('destinations as d')
          .select('d.id')
          .where((when) =>
            when.or([
              when('d.id', '=', destinationId),
              when.and([when('d.userId', '=', userId), when('d.kind', '=', kind)]),
            ]),
          ),
      )
      .where('forwarderId', '=', id)
      .execute();
  }
}

/** Ends the forwarders of users who may no longer manage the device, and what they have not sent yet. */
export async function endUncoveredForwarders(
  tx: Tx,
  { userId, deviceId, isGivenAway }: EndedRights,
  now: number,
): Promise<number> {
  let made = tx.selectFrom('forwarders').select(['id', 'userId', 'deviceId']);
  if (userId !== undefined) made = made.where('userId', '=', userId);
  if (deviceId !== undefined) made = made.where('deviceId', '=', deviceId);
  const forwarders = await made.execute();
  const ids = (isGivenAway ? forwarders : await uncovered(tx, forwarders)).map(({ id }) => id);
  await endForwarders(tx, ids, now);
  return ids.length;
}
