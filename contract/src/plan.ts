import { type Static, type TSchema, Type } from 'typebox';
import { answerOf, count, create, list, operation, read, remove, update } from './operation.ts';
import { flag, id, integer, key, noun, text, time } from './schema.ts';

/** `[[fromQuantity, unitPrice], …]` in each currency. */
const priceList = Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), { maxItems: 100 });
const currencies = { eur: Type.Optional(priceList), gbp: Type.Optional(priceList), usd: Type.Optional(priceList) };

/** Tax is a price structure again, so prices refer to themselves. */
export const pricesSchema: TSchema = Type.Object(
  { ...currencies, tax: Type.Optional(Type.Object(currencies, { 'x-same-as': 'Prices' })) },
  { description: 'Unit prices from a quantity on, for each currency; tax is a structure of the same kind.' },
);

const seen = {
  id: id(),
  name: text('Its name for programs.', { minLength: 1, maxLength: 100 }),
  displayName: text('Its name for people.', { maxLength: 200 }),
  description: text('What it offers.', { maxLength: 4000 }),
  features: text('What it includes.', { maxLength: 4000 }),
  sku: text('Its article number.', { maxLength: 100 }),
  onoWhitelistId: integer('Of the network operator.'),
  sleepLimit: integer('Shortest interval while asleep, seconds.', { minimum: 0 }),
  wakeLimit: integer('Shortest interval while awake, seconds.', { minimum: 0 }),
  prices: pricesSchema,
};

/** A plan as the summary shows it. */
const summarizedPlan = noun('plan', seen, { always: ['name'] });

export const plan = noun(
  'plan',
  { ...seen, days: integer('How long a credit lasts.', { minimum: 1, maximum: 3660, default: 30 }) },
  { required: ['name'], always: ['name', 'days'] },
);

/** Credits of a plan that a user bought or was allocated; each serves one device once. */
export const planCredit = noun(
  'planCredit',
  {
    id: id(),
    userId: key('Whose they are.', { readOnly: true }),
    planId: key('The plan.'),
    count: integer('How many.', { minimum: 1, maximum: 1_000_000, default: 1 }),
    origin: text('bought or allocated.', { readOnly: true }),
    created: time('When.', { readOnly: true }),
  },
  { required: ['planId'], always: ['userId', 'planId', 'count', 'origin', 'created'] },
);

const subscribe = noun('subscription', { planId: key('The plan.') }, { required: ['planId'] });

/** A device's time on a plan: one credit, used. */
export const subscription = noun(
  'subscription',
  {
    id: id(),
    deviceId: key('The device.', { readOnly: true }),
    userId: key('Whose credit it used.', { readOnly: true }),
    planId: key('The plan.', { readOnly: true }),
    start: time('From when.', { readOnly: true }),
    end: time('Until when.', { readOnly: true }),
  },
  { always: ['deviceId', 'userId', 'planId', 'start', 'end'] },
);

const summary = Type.Array(
  Type.Object(
    {
      count: Type.Integer({ description: 'Credits of the asked kind.' }),
      subscriptions: Type.Integer({ description: 'Devices with an active subscription to the plan.' }),
      plan: answerOf(summarizedPlan),
    },
    { title: 'plan summary entry' },
  ),
);

export type PlanSummaryEntry = Static<typeof summary>[number];

export const SUMMARIZED_PLAN_FIELDS = Object.keys(seen);

export const planOperations = {
  listPlans: list(plan, '/plans', 'user', { summary: 'The plan catalogue' }),
  countPlans: count(plan, '/plans', 'user'),
  createPlan: create(plan, '/plans', 'admin'),
  getPlan: read(plan, '/plans/{id}', 'user'),
  updatePlan: update(plan, '/plans/{id}', 'admin'),
  deletePlan: remove(plan, '/plans/{id}', 'admin', { description: 'Only one that nobody has credits of.' }),

  summarizePlans: operation('GET', '/users/{userid}/plans/summary', 'self', {
    versions: ['v1', 'v2'],
    summary: "Summary of a user's plans, bought or allocated",
    query: { consumed: flag('true: credits used by devices; otherwise unused ones.') },
    answer: summary,
  }),
  summarizeOwnPlans: operation('GET', '/users/plans/summary', 'user', {
    versions: ['v2'],
    summary: "Summary of the caller's plans, bought or allocated",
    query: { consumed: flag('true: credits used by devices; otherwise unused ones.') },
    answer: summary,
  }),
  listPlanCredits: list(planCredit, '/users/{id}/plans', 'self', { summary: 'List the plan credits of a user' }),
  countPlanCredits: count(planCredit, '/users/{id}/plans', 'self'),
  createPlanCredit: create(planCredit, '/users/{id}/plans', 'self', {
    summary: 'Give a user credits of a plan',
    description: 'An admin allocates; a user buys where the operator allows it.',
  }),
  getDevicePlan: operation('GET', '/devices/{id}/plan', 'view', {
    summary: 'The active subscription of a device',
    answer: answerOf(subscription),
  }),
  setDevicePlan: operation('PUT', '/devices/{id}/plan', 'own', {
    summary: 'Put a device on a plan',
    description: "Uses one credit of the device's owner. While the device is on that plan already, nothing changes.",
    body: { noun: subscribe, mode: 'create' },
    answer: answerOf(subscription),
  }),
  endDevicePlan: operation('DELETE', '/devices/{id}/plan', 'own', {
    summary: 'End the subscription of a device',
    description: 'The credit stays used.',
  }),
};
