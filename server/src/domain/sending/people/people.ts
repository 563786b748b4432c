import { PEOPLE_CHANNELS } from '@trackway/contract/channels.ts';
import type { Kysely } from 'kysely';
import { actsAsAdmin } from '../../admin-rights.ts';
import type { Tables } from '../../schema/tables.ts';
import type { QuietHours } from '../../users/quiet-hours.ts';
import { type Speech, speechOf } from '../../users/speech.ts';
import { STORM_MS } from './storm.ts';

export interface Person {
  readonly id: number;
  readonly email: string;
  /** Whether the address is known to be theirs. */
  readonly isConfirmed: boolean;
  readonly isAdmin: boolean;
  readonly timeZone: string | null;
  readonly quietHours: QuietHours | null;
  readonly speech: Speech;
}

export interface Subscription {
  readonly endpoint: string;
  /** Sealed. An earlier version stored them as they are. */
  readonly keys: string | object;
}

/** Who gets notifications: how they are reached, and how many they got within the last minute. */
export class People {
  readonly #people: ReadonlyMap<number, Person>;
  readonly #subscriptions: ReadonlyMap<number, Subscription[]>;
  readonly #sent: Map<string, number>;

  private constructor(
    people: ReadonlyMap<number, Person>,
    subscriptions: ReadonlyMap<number, Subscription[]>,
    sent: Map<string, number>,
  ) {
    this.#people = people;
    this.#subscriptions = subscriptions;
    this.#sent = sent;
  }

  static async read(tx: Kysely<Tables>, userIds: readonly number[], now: number): Promise<People> {
    const people = await readPeople(tx, userIds);
    const subscriptions = new Map<number, Subscription[]>();
    for (const { userId, endpoint, keys } of await subscribed(tx, userIds)) {
      const own = subscriptions.get(userId) ?? [];
      own.push({ endpoint, keys: JSON.parse(keys) });
      subscriptions.set(userId, own);
    }
    return new People(people, subscriptions, await countSent(tx, userIds, now));
  }

  get(userId: number): Person | undefined {
    return this.#people.get(userId);
  }

  subscriptionsOf(userId: number): readonly Subscription[] {
    return this.#subscriptions.get(userId) ?? [];
  }

  sentLately(userId: number, channel: string): number {
    return this.#sent.get(`${userId} ${channel}`) ?? 0;
  }

  noteSent(userId: number, channel: string): void {
    this.#sent.set(`${userId} ${channel}`, this.sentLately(userId, channel) + 1);
  }
}

export async function readPeople(tx: Kysely<Tables>, userIds: readonly number[]): Promise<Map<number, Person>> {
  const rows = await tx
    .selectFrom('users as u')
    .select(['u.id', 'u.email', 'u.emailConfirmedAt', 'u.timeZone', 'u.quietHours', 'u.language', 'u.units'])
    .select(actsAsAdmin('u').as('isAdmin'))
    .where('u.id', 'in', [...userIds])
    .execute();
  return new Map(
    rows.map(({ id, email, emailConfirmedAt, isAdmin, timeZone, quietHours, language, units }) => [
      id,
      {
        id,
        email,
        isConfirmed: emailConfirmedAt !== null,
        isAdmin: Boolean(isAdmin),
        timeZone,
        quietHours: quietHours ? JSON.parse(quietHours) : null,
        speech: speechOf({ language, units }),
      },
    ]),
  );
}

/** How they are written to. */
export const recipientOf = ({ timeZone, speech }: Person, { publicUrl }: { readonly publicUrl: string }) => ({
  timeZone: timeZone ?? 'UTC',
  language: speech.language,
  publicUrl,
});

/** Without those that the push service has reported as gone. */
const subscribed = (tx: Kysely<Tables>, userIds: readonly number[]) =>
  tx
    .selectFrom('pushSubscriptions as s')
    .leftJoin('destinations as d', (join) =>
      join.on('d.kind', '=', 'push').onRef('d.target', '=', 's.endpoint').onRef('d.userId', '=', 's.userId'),
    )
    .select(['s.userId', 's.endpoint', 's.keys'])
    .where('s.userId', 'in', [...userIds])
    .where((when) => when.or([when('d.state', 'is', null), when('d.state', '!=', 'off')]))
    .orderBy('s.id')
    .execute();

/** Counts notifications, not deliveries: three browsers of one person count as one. */
export const sentSince = (tx: Kysely<Tables>, userIds: readonly number[], since: number) =>
  tx
    .selectFrom('outbox')
    .select(['userId', 'channel', (of) => of.fn.count<number>('notificationId').distinct().as('sent')])
    .where('userId', 'in', [...userIds])
    // As the condition of the index has it.
    .where('forwarderId', 'is', null)
    .where('channel', 'in', PEOPLE_CHANNELS)
    .where('created', '>', since)
    .where('state', 'in', ['queued', 'sending', 'sent', 'dead'])
    .groupBy(['userId', 'channel']);

async function countSent(tx: Kysely<Tables>, userIds: readonly number[], now: number): Promise<Map<string, number>> {
  const rows = await sentSince(tx, userIds, now - STORM_MS).execute();
  return new Map(rows.map(({ userId, channel, sent }) => [`${userId} ${channel}`, Number(sent)]));
}
