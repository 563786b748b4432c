import { Type } from 'typebox';
import { answerOf, create, list, remove } from './operation.ts';
import { id, noun, text, time } from './schema.ts';

/** The most browsers that a user may subscribe. */
export const MOST_SUBSCRIPTIONS = 20;

const fields = {
  id: id(),
  endpoint: text('The address of the push service, as the browser gave it.', { minLength: 1, maxLength: 2048 }),
  agent: text('Which browser it is, in words.', { maxLength: 200 }),
  created: time('When it was subscribed.', { readOnly: true }),
};

/** A browser that shows notifications. Its keys are stored and never shown. */
export const pushSubscription = noun('pushSubscription', fields, { always: ['endpoint', 'created'] });

const newSubscription = noun(
  'pushSubscription',
  {
    ...fields,
    keys: Type.Object(
      { p256dh: Type.String({ maxLength: 200 }), auth: Type.String({ maxLength: 100 }) },
      { description: 'The keys of the subscription, base64url.' },
    ),
  },
  { required: ['endpoint', 'keys'], always: ['endpoint', 'keys', 'created'] },
);

const path = '/users/{id}/pushSubscriptions';

export const pushSubscriptionOperations = {
  listPushSubscriptions: list(pushSubscription, path, 'self', {
    summary: 'List the browsers that show notifications',
  }),
  createPushSubscription: create(newSubscription, path, 'self', {
    summary: 'Subscribe a browser',
    description: 'The same endpoint again replaces the subscription.',
    answer: answerOf(pushSubscription),
  }),
  deletePushSubscription: remove(pushSubscription, `${path}/{fk}`, 'self', { summary: 'Unsubscribe a browser' }),
};
