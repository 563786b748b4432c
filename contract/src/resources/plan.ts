import { type Static, Type } from 'typebox';
import { answerOf, count, create, list, operation, read, remove, update } from '../operation.ts';
import { pricesSchema } from '../prices.ts';
import { flag, id, integer, key, noun, text, time } from '../schema.ts';

const summaryFields = {
  id: id(),
  name: text('Name for programs.', { minLength: 1, maxLength: 100 }),
  displayName: text('Name for people.', { maxLength: 200 }),
  description: text('Description.', { maxLength: 4000 }),
  features: text('Included features.', { maxLength: 4000 }),
  sku: text('Stock keeping unit.', { maxLength: 100 }),
  onoWhitelistId: integer('Whitelist id at the network operator.'),
  sleepLimit: integer('Shortest interval while asleep, in seconds.', { minimum: 0 }),
  wakeLimit: integer('Shortest interval while awake, in seconds.', { minimum: 0 }),
  prices: pricesSchema,
};

/** A plan in the published summary, which has no `days`. */
export const summarizedPlan = noun('plan', summaryFields, { always: ['name'], shownAs: 'summarized plan' });

export const plan = noun(
  'plan',
  {
    ...summaryFields,
    days: integer('Duration of one credit in days.', { minimum: 1, maximum: 3660, default: 30 }),
    keepDays: integer(
      'Retention of positions, readings and notifications of devices on the plan in days, if shorter than on the server.',
      { minimum: 1, maximum: 36_500 },
    ),
  },
  { required: ['name'], always: ['name', 'days'] },
);

/** Credits of a plan, bought by a user or allocated by an admin. Each credit pays for one device once. */
export const planCredit = noun(
  'planCredit',
  {
    id: id(),
    userId: key('Id of the user they belong to.', { readOnly: true }),
    planId: key('Id of the plan.'),
    count: integer('Number of credits.', { minimum: 1, maximum: 1_000_000, default: 1 }),
    origin: text('`bought` or `allocated`.', { readOnly: true }),
    created: time('When they were bought or allocated.', { readOnly: true }),
  },
  { required: ['planId'], always: ['userId', 'planId', 'count', 'origin', 'created'] },
);

const subscribe = noun(
  'subscription',
  {
    planId: key('Id of the plan.'),
    renews: flag(
      'Whether the next unused credit is used when the plan ends. Without one, the device is then deactivated. Default: false.',
    ),
  },
  { required: ['planId'], sentAs: 'subscription request' },
);

/** The time a device is on a plan. Each subscription uses one credit. */
export const subscription = noun(
  'subscription',
  {
    id: id(),
    deviceId: key('Id of the device.', { readOnly: true }),
    userId: key('Id of the user whose credit was used.', { readOnly: true }),
    planId: key('Id of the plan.', { readOnly: true }),
    start: time('Start of the subscription.', { readOnly: true }),
    end: time('End of the subscription.', { readOnly: true }),
    renews: flag('Whether the next unused credit is used when it ends.', { readOnly: true }),
    renewUntil: time('From this time on it is not renewed, and the device is deactivated.', { readOnly: true }),
  },
  { always: ['deviceId', 'userId', 'planId', 'start', 'end', 'renews'] },
);

const summary = Type.Array(
  Type.Object(
    {
      count: Type.Integer({ description: 'Number of unused credits, or of used credits with `consumed=true`.' }),
      subscriptions: Type.Integer({ description: 'Number of devices with an active subscription to the plan.' }),
      plan: { ...answerOf(summarizedPlan), description: 'The plan.' },
    },
    { title: 'plan summary entry' },
  ),
);

export type PlanSummaryEntry = Static<typeof summary>[number];

export const SUMMARIZED_PLAN_FIELDS = Object.keys(summaryFields);

export const planOperations = {
  listPlans: list(plan, '/plans', 'user', { summary: 'List plans' }),
  countPlans: count(plan, '/plans', 'user'),
  createPlan: create(plan, '/plans', 'admin'),
  getPlan: read(plan, '/plans/{id}', 'user'),
  updatePlan: update(plan, '/plans/{id}', 'admin'),
  deletePlan: remove(plan, '/plans/{id}', 'admin', {
    refuses: [422],
    description: 'Only possible while no user has credits of the plan.',
  }),

  summarizePlans: operation('GET', '/users/{userid}/plans/summary', 'self', {
    versions: ['v1', 'v2'],
    summary: "Get a summary of a user's plans, bought or allocated",
    query: { consumed: flag('True: credits used by devices. False or absent: unused credits.') },
    answer: summary,
  }),
  summarizeOwnPlans: operation('GET', '/users/plans/summary', 'user', {
    versions: ['v2'],
    summary: "Get a summary of the caller's plans, bought or allocated",
    query: { consumed: flag('True: credits used by devices. False or absent: unused credits.') },
    answer: summary,
  }),
  listPlanCredits: list(planCredit, '/users/{id}/plans', 'self'),
  countPlanCredits: count(planCredit, '/users/{id}/plans', 'self'),
  createPlanCredit: create(planCredit, '/users/{id}/plans', 'self', {
    summary: 'Allocate or buy plan credits',
    description: 'An admin allocates credits to the user. A user can buy credits if the operator allows it.',
  }),
  getDevicePlan: operation('GET', '/devices/{id}/plan', 'view', {
    summary: 'Get the active subscription of a device',
    answer: answerOf(subscription),
  }),
  setDevicePlan: operation('PUT', '/devices/{id}/plan', 'own', {
    summary: 'Subscribe a device to a plan',
    description: "Uses one credit of the device's owner. If the device is already on this plan, nothing changes.",
    body: { noun: subscribe, mode: 'create' },
    answer: answerOf(subscription),
  }),
  endDevicePlan: operation('DELETE', '/devices/{id}/plan', 'own', {
    summary: 'End the subscription of a device',
    description: 'The credit is not refunded.',
  }),
};
