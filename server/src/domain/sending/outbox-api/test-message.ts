import type { Content } from '../../../platform/outbox/channel.ts';
import type { DestinationRow, Store } from '../../schema/tables.ts';
import { contentFor } from '../envelopes/envelope.ts';

const SENTENCE = 'This is a test. Nothing has happened';

interface To {
  readonly kind: DestinationRow['kind'];
  readonly target: string;
  readonly userId: number;
}

/** A harmless message in the form that the destination gets all others in. */
export async function testContent(
  store: Store,
  { kind, target, userId }: To,
  now: number,
): Promise<{ address: string | null; content: Content | ((messageId: string) => Content) }> {
  if (kind === 'push') {
    const shown = { title: 'Trackway', body: SENTENCE, url: '/notifications', tag: 'test' };
    const content = { type: 'application/json', subject: 'Trackway', text: JSON.stringify(shown) };
    return { address: await subscriptionAt(store, target, userId), content };
  }
  const notification = {
    created: new Date(now).toISOString(),
    userId,
    params: { type: 'test', message: SENTENCE },
  };
  const form = kind === 'http' || kind === 'sqs' ? kind : 'mqtt';
  return { address: null, content: contentFor(form, { notification, device: { id: 0, imei: null } }, { now }) };
}

/** A browser that was unsubscribed has no keys any more: the channel says so in the record. */
async function subscriptionAt(store: Store, endpoint: string, userId: number): Promise<string | null> {
  const row = await store.query
    .selectFrom('pushSubscriptions')
    .select('keys')
    .where('endpoint', '=', endpoint)
    .where('userId', '=', userId)
    .executeTakeFirst();
  return row ? JSON.stringify({ endpoint, keys: JSON.parse(row.keys) }) : null;
}
