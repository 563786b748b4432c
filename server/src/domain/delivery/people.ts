import { type Channel, PEOPLE_CHANNELS, specOf } from '@trackway/contract/channels.ts';
import { type Because, because } from '../../platform/because.ts';
import type { Posting } from '../../platform/outbox/post.ts';
import { actsAsAdmin } from '../rights.ts';
import type { Tx } from '../schema/tables.ts';
import { isServiceAddress } from '../users/account-letters.ts';
import type { QuietHours } from '../users/quiet-hours.ts';
import { type Speech, speechOf } from '../users/speech.ts';
import { topicOf } from './presented.ts';
import { addressOf, destinationOf, type Wanted, wrongForm } from './targets.ts';

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

interface Subscription {
  readonly endpoint: string;
  /** Encrypted. An earlier version stored them in plain text. */
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

  static async read(tx: Tx, userIds: readonly number[], now: number): Promise<People> {
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

export async function readPeople(tx: Tx, userIds: readonly number[]): Promise<Map<number, Person>> {
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

/** Without subscriptions that the push service has reported as gone. */
const subscribed = (tx: Tx, userIds: readonly number[]) =>
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
export const sentSince = (tx: Tx, userIds: readonly number[], since: number) =>
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

async function countSent(tx: Tx, userIds: readonly number[], now: number): Promise<Map<string, number>> {
  const rows = await sentSince(tx, userIds, now - BURST_MS).execute();
  return new Map(rows.map(({ userId, channel, sent }) => [`${userId} ${channel}`, Number(sent)]));
}

/** A person gets at most this many messages a minute on one channel; the rest comes in a digest. */
export const MAX_A_MINUTE = 10;
export const BURST_MS = 60_000;

/** Until when one more message has to wait, given how many were sent within the last minute; undefined if not at all. */
export function burstUntil(sentLately: number, now: number): number | undefined {
  return sentLately < MAX_A_MINUTE ? undefined : (Math.floor(now / BURST_MS) + 1) * BURST_MS;
}

/** Where a notification is sent by one channel. */
export type Addressee = Pick<Posting, 'target' | 'ownerId' | 'isSigned' | 'address'>;

/** Why a notification is not sent by a channel. */
export interface NoAddressee {
  readonly state: 'suppressed' | 'dead';
  readonly reason: string;
  readonly reasonDetails?: string | null;
}

export interface NotificationFor {
  readonly person: Person;
  readonly subscriptions: readonly Subscription[];
  readonly deviceId: number;
  readonly wanted: Wanted;
  /** The end of a sentence about why this person may not use an address; undefined where they may. */
  readonly mayUse: (address: string, person: Person) => Promise<string | undefined>;
  /** Why nothing is mailed to an address for this person; undefined where it may be. */
  readonly whyNotMailed: (address: string, person: Person) => Promise<Because | undefined>;
}

const dead = (reason: string): NoAddressee => ({ state: 'dead', reason });

/** The addressees of a notification by a channel, or the reason why there are none. */
export async function addresseesOf(channel: Channel, about: NotificationFor): Promise<Addressee[] | NoAddressee> {
  const { person, subscriptions, deviceId, wanted, mayUse, whyNotMailed } = about;
  const { address: source, server, isHeld, isAgreed } = specOf(channel);
  switch (source.from) {
    case 'subscriptions':
      if (subscriptions.length === 0) return { state: 'suppressed', ...because('noBrowser') };
      return subscriptions.map(({ endpoint, keys }) => ({
        ...destinationOf(channel, endpoint, person.id),
        address: JSON.stringify({ endpoint, keys }),
      }));
    case 'topic': {
      const address = `${topicOf(person.id, deviceId)}/notifications`;
      return [{ ...destinationOf(channel, address, person.id), address }];
    }
    case 'parameter': {
      const given = addressOf(channel, wanted);
      const address = given?.value ?? (source.isAccountByDefault ? person.email : undefined);
      if (address === undefined) return dead(`The trigger has no ${source.what}: set parameters.${source.name}`);
      if (channel === 'email' && isServiceAddress(address)) return dead('A service account gets no mail');
      const wrong = wrongForm(channel, address);
      if (wrong) return dead(`${given ? `${given.field}.${given.name}` : 'The address of the account'} ${wrong}`);
      const held = isHeld ? await mayUse(address, person) : undefined;
      if (held) return dead(`${address} ${held}`);
      const unwanted = isAgreed ? await whyNotMailed(address, person) : undefined;
      if (unwanted) return { state: 'suppressed', ...unwanted };
      // At a server of the operator's the address is the recipient; elsewhere it is the destination.
      return [{ ...destinationOf(channel, address, person.id), address: server === undefined ? null : address }];
    }
  }
}
