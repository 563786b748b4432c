import type { Kysely } from 'kysely';
import { distanceM } from '../../../platform/sphere.ts';
import { appendLiveEvents } from '../../live/append-live-events.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { readForwarders } from '../../sending/forwarders/forwarder-row.ts';
import { send } from '../../sending/send.ts';
import type { SendingPolicy } from '../../sending/sending-policy.ts';
import type { Firing, TriggerRule } from '../../triggers/evaluator.ts';
import { notificationEvents } from '../state/live-events.ts';
import type { ProximityInput } from '../state/proximity-input.ts';
import { type RecordedNotification, recordOnce } from '../state/record-notification.ts';
import type { Uptime } from './uptime.ts';

/** Triggers that do not follow from a device's own data in fix time: judged once, and never taken back. */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** No trigger asks for less. */
const LEAST_SILENCE_MS = 1000;
const NEAR_MS = 10 * MINUTE_MS;
const NEAR_M = 50;
/** Two devices count as apart again beyond so much of the distance. */
const APART = 1.2;

interface Watched {
  readonly id: number;
  readonly deviceId: number;
  readonly userId: number;
  readonly name: string;
  readonly parameters: string | null;
  readonly deviceName: string | null;
}

export interface Once {
  readonly deviceId: number;
  readonly notifications: readonly RecordedNotification[];
}

const ruleOf = (trigger: Watched, type: TriggerRule['type']): TriggerRule => ({
  triggerId: trigger.id,
  version: 0,
  userId: trigger.userId,
  name: trigger.name,
  type,
  parameters: trigger.parameters ? JSON.parse(trigger.parameters) : {},
});

/** @param also what is written down together with it */
async function fire(
  store: Store,
  policy: SendingPolicy,
  trigger: Watched,
  firing: Firing,
  now: number,
  also: (tx: Kysely<Tables>) => Promise<unknown> = async () => {},
): Promise<Once> {
  const recording = {
    deviceId: trigger.deviceId,
    deviceName: trigger.deviceName ?? `Device ${trigger.deviceId}`,
    now,
    late: false,
    oldNewsMs: policy.oldNewsMs,
  };
  const recorded = await store.transaction(async (tx) => {
    await also(tx);
    const one = await recordOnce(tx, firing, recording);
    const forwarders = await readForwarders(tx, trigger.deviceId);
    const outgoing = { deviceId: trigger.deviceId, forwarders, notifications: [one] };
    await send(tx, store.storeKind, policy, [outgoing], now);
    await appendLiveEvents(tx, store.storeKind, notificationEvents([one]), now);
    return one;
  });
  return { deviceId: trigger.deviceId, notifications: [recorded] };
}

const watched = (on: Kysely<Tables>, type: string) =>
  on
    .selectFrom('notificationTriggers as t')
    .innerJoin('devices as d', 'd.id', 't.deviceId')
    .innerJoin('deviceStates as s', 's.deviceId', 't.deviceId')
    .select([
      't.id',
      't.deviceId',
      't.userId',
      't.name',
      't.parameters',
      'd.name as deviceName',
      'd.expires',
      's.heardAt',
    ])
    .where('t.type', '=', type)
    .where('d.deletedAt', 'is', null);

/** Nothing received for a while, by the time of reception; only the time that a server was up counts. */
export async function judgeSilence(
  store: Store,
  policy: SendingPolicy,
  uptime: Pick<Uptime, 'since'>,
  now: number,
): Promise<Once[]> {
  const fired: Once[] = [];
  // Those that were told of since they were heard last have nothing more to tell.
  const silent = watched(store.query, 'offline')
    .where('s.heardAt', '<=', now - LEAST_SILENCE_MS)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('notifications as n')
            .select('n.id')
            .whereRef('n.triggerId', '=', 't.id')
            .whereRef('n.timestamp', '>', 's.heardAt'),
        ),
      ),
    );
  for (const trigger of await silent.execute()) {
    const rule = ruleOf(trigger, 'offline');
    const heardAt = trigger.heardAt!;
    if (uptime.since(heardAt, now) < (rule.parameters.after as number) * 1000) continue;
    const facts = { heardAt: new Date(heardAt).toISOString(), after: rule.parameters.after };
    fired.push(await fire(store, policy, trigger, { rule, kind: 'silent', at: now, decidedAt: now, facts }, now));
  }
  return fired;
}

/** A plan that ends within a day, or a week; once for each end. */
export async function judgeExpiry(store: Store, policy: SendingPolicy, now: number): Promise<Once[]> {
  const fired: Once[] = [];
  for (const [type, ahead] of [
    ['expiresDaily', DAY_MS],
    ['expiresWeekly', 7 * DAY_MS],
  ] as const) {
    const ending = watched(store.query, type)
      .where('d.expires', '>', now)
      .where('d.expires', '<=', now + ahead);
    for (const trigger of await ending.execute()) {
      const at = trigger.expires! - ahead;
      const told = await store.query
        .selectFrom('notifications')
        .select('id')
        .where('triggerId', '=', trigger.id)
        .where('timestamp', '=', at)
        .executeTakeFirst();
      if (told) continue;
      const facts = { expires: new Date(trigger.expires!).toISOString() };
      fired.push(
        await fire(
          store,
          policy,
          trigger,
          { rule: ruleOf(trigger, type), kind: 'expires', at, decidedAt: now, facts },
          now,
        ),
      );
    }
  }
  return fired;
}

/**
 * Another device is near: it was just heard by radio, or its newest fix is near and not much older. That they are near is
 * written down when it begins and when it ends, so that it is not told once more after the next start.
 */
export class Proximity {
  readonly #store: Store;
  readonly #policy: SendingPolicy;

  constructor(store: Store, policy: SendingPolicy) {
    this.#store = store;
    this.#policy = policy;
  }

  async judge({ deviceId, points, readings }: ProximityInput, now: number): Promise<Once[]> {
    if (points.length === 0 && readings.length === 0) return [];
    const fired: Once[] = [];
    const triggers = watched(this.#store.query, 'proximity')
      .leftJoin('proximities as n', 'n.triggerId', 't.id')
      .select('n.otherDeviceId as nearDeviceId')
      .where('t.deviceId', '=', deviceId);
    for (const trigger of await triggers.execute()) {
      const rule = ruleOf(trigger, 'proximity');
      const otherDeviceId = rule.parameters.deviceId as number;
      const meters = (rule.parameters.meters as number | undefined) ?? NEAR_M;
      const found = await this.#distanceTo(otherDeviceId, { points, readings });
      if (found === undefined) continue;
      // The trigger may have been about another one.
      const wasNear = trigger.nearDeviceId === otherDeviceId;
      if (wasNear && found.meters > meters * APART)
        await this.#store.query.deleteFrom('proximities').where('triggerId', '=', trigger.id).execute();
      if (wasNear || found.meters > meters) continue;
      const facts = { otherDeviceId, otherName: found.name, meters: found.meters, by: found.by };
      const firing: Firing = { rule, kind: 'near', at: found.at, decidedAt: found.at, pointId: found.pointId, facts };
      const nearness = { triggerId: trigger.id, otherDeviceId, since: found.at };
      const noteNear = (tx: Kysely<Tables>) =>
        tx
          .insertInto('proximities')
          .values(nearness)
          .onConflict((on) => on.column('triggerId').doUpdateSet(nearness))
          .execute();
      fired.push(await fire(this.#store, this.#policy, trigger, firing, now, noteNear));
    }
    return fired;
  }

  async #distanceTo(otherId: number, { points, readings }: Pick<ProximityInput, 'points' | 'readings'>) {
    const other = await this.#store.query
      .selectFrom('devices')
      .select(['id', 'name'])
      .where('id', '=', otherId)
      .where('deletedAt', 'is', null)
      .executeTakeFirst();
    if (other === undefined) return undefined;
    const name = other.name ?? `Device ${otherId}`;
    const heard = readings.find(
      (reading) => reading.deviceId === otherId && (reading.type === 'ble_seen' || reading.type === 'uwb_seen'),
    );
    // A radio that hears it does not tell how far, but it is near; ultra wide band tells centimetres.
    if (heard) {
      const centimetres = heard.type === 'uwb_seen' ? Number(JSON.parse(heard.value)) : 0;
      return {
        name,
        by: heard.type,
        meters: Number.isFinite(centimetres) ? centimetres / 100 : 0,
        at: heard.timestamp,
        pointId: undefined,
      };
    }
    const here = points
      .filter(({ locationLat }) => locationLat !== null)
      .toSorted((a, b) => a.timestamp - b.timestamp)
      .at(-1);
    if (here === undefined) return undefined;
    const there = await this.#store.query
      .selectFrom('points')
      .select(['timestamp', 'locationLat', 'locationLng'])
      .where('deviceId', '=', otherId)
      .where('timestamp', '>=', here.timestamp - NEAR_MS)
      .where('locationLat', 'is not', null)
      .orderBy('timestamp', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (there === undefined) return undefined;
    const place = ({ locationLat, locationLng }: { locationLat: number | null; locationLng: number | null }) => ({
      lat: locationLat!,
      lng: locationLng!,
    });
    return { name, by: 'position', meters: distanceM(place(here), place(there)), at: here.timestamp, pointId: here.id };
  }
}
