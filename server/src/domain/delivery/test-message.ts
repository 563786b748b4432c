import { type Channel, type MachineChannel, type PeopleForm, specOf } from '@trackway/contract/channels.ts';
import { messagesIn } from '@trackway/contract/messages/messages.ts';
import type { Content } from '../../platform/outbox/channel.ts';
import { findRow } from '../rows.ts';
import type { Store } from '../schema/tables.ts';
import { PLAIN_SPEECH } from '../users/speech.ts';
import { readPeople } from './people.ts';
import { machineContent } from './presented.ts';

/** By the form of the channel. */
const FOR_PEOPLE: Readonly<Record<PeopleForm, (sentence: string) => Content>> = {
  text: (sentence) => ({ type: 'text/plain', subject: 'Trackway', text: `${sentence}.\n` }),
  screen: (body) => ({
    type: 'application/json',
    subject: 'Trackway',
    text: JSON.stringify({ title: 'Trackway', body, url: '/notifications', tag: 'test' }),
  }),
};

interface To {
  readonly kind: Channel;
  readonly target: string;
  readonly userId: number;
  /** Whether programs get plain JSON, without its envelope. */
  readonly isRaw?: boolean;
}

/** A harmless message in the form that the destination gets all others in. */
export async function testContent(
  store: Store,
  { kind, target, userId, isRaw = false }: To,
  now: number,
): Promise<{ address: string | null; content: Content | ((messageId: string) => Content) }> {
  const spec = specOf(kind);
  const address = spec.address.from === 'subscriptions' ? await subscriptionAt(store, target, userId) : null;
  if (spec.for === 'people') {
    const person = (await readPeople(store.query, [userId])).get(userId);
    const { language } = person?.speech ?? PLAIN_SPEECH;
    return { address, content: FOR_PEOPLE[spec.form](messagesIn(language).letters.test) };
  }
  const notification = {
    created: new Date(now).toISOString(),
    userId,
    params: { type: 'test', message: messagesIn('en').letters.test },
  };
  const message = { notification, device: { id: 0, imei: null } };
  return { address, content: machineContent(kind as MachineChannel, message, { isRaw, now }) };
}

/** A browser that was unsubscribed has no keys any more: the channel records that. */
async function subscriptionAt(store: Store, endpoint: string, userId: number): Promise<string | null> {
  const row = await findRow(store.query, 'pushSubscriptions', { endpoint, userId }, ['keys']);
  return row ? JSON.stringify({ endpoint, keys: JSON.parse(row.keys) }) : null;
}
