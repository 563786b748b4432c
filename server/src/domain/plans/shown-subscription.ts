import type { AnswerOf } from '@trackway/contract/operations.ts';
import { isoTime } from '../../platform/iso-time.ts';
import type { Row } from '../../platform/storage/shape.ts';
import type { OnPlan } from './subscriptions.ts';
import { presentPlan } from './summary.ts';

/** A subscription and its plan, as version 2 shows them. */
export const showSubscription = ({ subscription, plan }: OnPlan): AnswerOf<'putPlanOfDevice'> => ({
  id: subscription.id,
  deviceId: subscription.deviceId,
  userId: subscription.userId,
  planId: subscription.planId,
  created: isoTime(subscription.start),
  expires: isoTime(subscription.end),
  _stripeSubscriptionId: null,
  renewUntil: subscription.renewUntil === null ? null : isoTime(subscription.renewUntil),
  renews: subscription.renews === 1,
  plan: presentPlan(plan as object as Row),
});
