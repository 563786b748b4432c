import { Type } from 'typebox';
import { answerOf, create, list, remove } from '../operation.ts';
import { id, noun, text, time } from '../schema.ts';

/** Maximum number of subscribed browsers per user. */
export const MOST_SUBSCRIPTIONS = 20;

const fields = {
  id: id(),
  endpoint: text('URL of the push service, as provided by the browser.', {
    minLength: 1,
    maxLength: 2048,
    format: 'uri',
  }),
  agent: text('Name of the browser.', { maxLength: 200 }),
  created: time('When the browser was subscribed.', { readOnly: true }),
};

/** A browser that receives notifications by web push. Its keys are write-only. */
export const pushSubscription = noun('pushSubscription', fields, { always: ['endpoint', 'created'] });

const newSubscription = noun(
  'pushSubscription',
  {
    ...fields,
    keys: Type.Object(
      {
        p256dh: Type.String({ maxLength: 200, pattern: '^[\\w-]{87}=?$', description: 'Public key of the browser.' }),
        auth: Type.String({
          maxLength: 100,
          pattern: '^[\\w-]{22}(==)?$',
          description: 'Authentication secret of the browser.',
        }),
      },
      { title: 'push keys', description: 'Keys of the subscription, base64url-encoded.' },
    ),
  },
  { required: ['endpoint', 'keys'], always: ['endpoint', 'keys', 'created'] },
);

const path = '/users/{id}/pushSubscriptions';

export const pushSubscriptionOperations = {
  listPushSubscriptions: list(pushSubscription, path, 'self', {
    summary: "List a user's subscribed browsers",
  }),
  createPushSubscription: create(newSubscription, path, 'self', {
    summary: 'Subscribe a browser to notifications',
    description: `A user can subscribe at most ${MOST_SUBSCRIPTIONS} browsers. Subscribing the same endpoint again replaces the subscription.`,
    answer: answerOf(pushSubscription),
  }),
  deletePushSubscription: remove(pushSubscription, `${path}/{fk}`, 'self', { summary: 'Unsubscribe a browser' }),
};
