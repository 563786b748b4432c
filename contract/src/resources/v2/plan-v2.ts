import { type Static, type TSchema, Type } from 'typebox';
import { answerOf, nothing, nullable, operation, page } from '../../operation.ts';
import { flag, id, key, list, noun, type Shown, text, time } from '../../schema.ts';
import { summarizedPlan } from '../plan.ts';
import { deviceV2, subscriptionFields } from './device-v2.ts';

/** Plans in version 2, where each credit is a separate object. */

const v2 = { versions: ['v2'] as const };
const readOnly = { readOnly: true };

export const ORDER_PLAN_SORTABLE = ['id', 'planId', 'deviceId', 'consumedOn', 'removedOn'] as const;

/** One credit of a plan. Its id does not change when it is used. */
const orderPlan = noun(
  'orderPlan',
  {
    id: id(),
    planId: key('Id of the plan.', readOnly),
    userId: key('Id of the user it belongs to.', readOnly),
    orderId: key('Id of the purchase or allocation it came with.', readOnly),
    deviceId: key('Id of the device that used it. Null if it is unused.', readOnly),
    consumedByDeviceId: key('Same value as deviceId.', readOnly),
    consumedOn: time('When it was used.', readOnly),
    removedOn: time('When the plan was ended before its time.', readOnly),
    needsPayment: flag('Always false.', readOnly),
    creditRemainingDays: flag('Always false.', readOnly),
  },
  { always: ['planId', 'userId', 'orderId', 'needsPayment', 'creditRemainingDays'] },
);

const shownPlan = answerOf(summarizedPlan);

/** The same schema with additional optional fields. */
const withMore = <Value>(schema: TSchema, title: string, more: Readonly<Record<string, TSchema>>) => {
  const { properties } = schema as { properties?: Record<string, TSchema> };
  return Type.Unsafe<Value>({ ...schema, title, properties: { ...properties, ...more } });
};

const orderPlanWithPlan = withMore<Shown<typeof orderPlan> & { plan?: Shown<typeof summarizedPlan> }>(
  answerOf(orderPlan),
  'order plan',
  { plan: { ...shownPlan, description: 'The plan, with `_include=plan`.' } },
);

const { prices: _, ...pricelessFields } = summarizedPlan.fields;
const priceless = noun('plan', pricelessFields as Omit<typeof summarizedPlan.fields, 'prices'>, { always: [] });
type Priceless = Omit<Shown<typeof summarizedPlan>, 'prices'>;
const planWithPrices = withMore<Priceless & { prices?: Shown<typeof summarizedPlan>['prices'] }>(
  answerOf(priceless),
  'plan for devices',
  { prices: nullable(summarizedPlan.fields.prices!) },
);

const credits = {
  paging: { sortable: ORDER_PLAN_SORTABLE, includes: ['plan'] },
  query: {
    consumed: flag('True: used credits. False: unused credits. Absent: both.'),
    planId: list(Type.Integer({ minimum: 1 }), 'Ids of plans.', { maxItems: 1000 }),
    deviceId: list(Type.Integer({ minimum: 1 }), 'Ids of devices that used them.', { maxItems: 1000 }),
    consumedSince: time('Used at this time or later.'),
    consumedUntil: time('Used at this time or earlier.'),
  },
  item: orderPlanWithPlan,
  example: {
    answer: {
      data: [
        {
          id: 12,
          planId: 1,
          userId: 5,
          orderId: 3,
          deviceId: 7,
          consumedByDeviceId: 7,
          consumedOn: '2026-06-01T12:00:00.000Z',
          removedOn: null,
          needsPayment: false,
          creditRemainingDays: false,
        },
      ],
      limit: 10,
      page: 1,
      totalElements: 1,
      totalPages: 1,
    },
  },
};

const renewal = {
  renewUntil: time(
    'The plan renews with the next unused credit until this time, when the device is deactivated. Null: it does not renew.',
  ),
  ignoreSubscriptionSetup: flag('Accepted, without effect.'),
};

const wantedPlan = noun(
  'devicePlan',
  { planId: key('Id of the plan.'), ...renewal },
  { required: ['planId'], sentAs: 'plan choice' },
);

const wantedPlans = noun(
  'devicePlans',
  {
    deviceIdentifiers: list(
      Type.String({ minLength: 1, maxLength: 100 }),
      'Devices, by id, `id:7`, `imei:…` or `serial:…`.',
      { minItems: 1, maxItems: 1000 },
    ),
    planId: key('Id of the plan.'),
    ...renewal,
  },
  { required: ['deviceIdentifiers', 'planId'], sentAs: 'plan choice for devices' },
);

const SUBSCRIPTION = {
  id: 4,
  deviceId: 7,
  userId: 5,
  planId: 1,
  created: '2026-06-01T12:00:00.000Z',
  expires: '2026-07-01T12:00:00.000Z',
  _stripeSubscriptionId: null,
  renewUntil: null,
  renews: false,
};

/** The time a device is on a plan, as version 2 shows it. */
export const subscriptionV2 = Type.Object(
  {
    ...subscriptionFields,
    _stripeSubscriptionId: Type.Null({ description: 'Always null.' }),
    renewUntil: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'From this time on it is not renewed, and the device is deactivated.',
    }),
    renews: Type.Boolean({ description: 'Whether the next unused credit is used when it ends.' }),
    plan: Type.Optional({ ...shownPlan, description: 'The plan.' }),
  },
  { title: 'device subscription' },
);

type OfPlan = Shown<typeof deviceV2> & {
  readonly subscription: Static<typeof subscriptionV2>;
  readonly deviceId: number;
  readonly userId: number;
  readonly planId: number;
  readonly plan: Shown<typeof summarizedPlan>;
  readonly created: string;
};

const bulk = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          identifier: Type.String({ description: 'The device as it was named.' }),
          status: Type.Enum(['SUCCESS', 'ERROR'], { description: 'Whether the device is on the plan now.' }),
          message: Type.String({ description: 'Why it is not. Empty on success.' }),
        },
        { title: 'device plan result' },
      ),
      { description: 'One entry for each device, in the order of the request.' },
    ),
    summary: Type.Object(
      {
        totalRequested: Type.Integer({ description: 'Number of devices named.' }),
        successCount: Type.Integer({ description: 'Number of successes.' }),
        errorCount: Type.Integer({ description: 'Number of errors.' }),
      },
      { title: 'device plans summary', description: 'Numbers of successes and failures.' },
    ),
  },
  { title: 'device plans result' },
);

const CURRENCIES = ['usd', 'eur', 'gbp'] as const;

const purchase = noun(
  'purchase',
  {
    currency: Type.Enum([...CURRENCIES], { title: 'currency', description: 'Currency of the prices in the response.' }),
    products: Type.Unsafe<Record<string, unknown>>(
      Type.Record(Type.String(), Type.Integer({ minimum: 1, maximum: 1_000_000 }), {
        description: 'Number of credits by SKU of the plan: 1 to 100 SKUs, 1 to 1 000 000 credits each.',
        minProperties: 1,
        maxProperties: 100,
      }),
    ),
  },
  { required: ['currency', 'products'], sentAs: 'purchase' },
);

const priceOrNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

const bought = Type.Object(
  {
    currency: Type.Enum([...CURRENCIES], { title: 'currency', description: 'Currency of the prices.' }),
    total: priceOrNull('Sum of the prices. Null if a plan has no price in the currency.'),
    orders: Type.Array(
      Type.Object(
        {
          sku: Type.String({ description: 'SKU of the plan.' }),
          planId: Type.Integer({ description: 'Id of the plan.' }),
          count: Type.Integer({ description: 'Number of credits.' }),
          orderId: Type.Integer({ description: 'Id of the purchase, `orderId` of each of its credits.' }),
          unitPrice: priceOrNull('Price of one credit at this quantity. Null if the plan has none in the currency.'),
        },
        { title: 'purchased plan' },
      ),
      { description: 'One entry for each SKU.' },
    ),
  },
  { title: 'purchase result' },
);

const claim = noun(
  'claim',
  { serial: text('Serial number of the device.', { minLength: 1, maxLength: 64 }) },
  { required: ['serial'], sentAs: 'claim' },
);

export const planV2Operations = {
  listOwnOrderPlans: page(orderPlan, '/users/plans', 'user', {
    ...credits,
    summary: "List the caller's plan credits, used and unused",
  }),
  listOrderPlans: page(orderPlan, '/users/{userid}/plans', 'self', {
    ...credits,
    summary: "List a user's plan credits, used and unused",
  }),
  listPlansForDevices: page(summarizedPlan, '/devices/plans', 'user', {
    summary: 'List the plans that devices can be added to',
    refuses: [404],
    description: 'Every plan of the catalogue. The caller must see each device named.',
    paging: { sortable: ['id'], includes: ['prices'] },
    query: { deviceIdentifiers: list(Type.String({ maxLength: 100 }), 'Devices.', { maxItems: 1000 }) },
    item: planWithPrices,
  }),
  getPlanOfDevice: operation('GET', '/devices/{id}/plan', 'view', {
    ...v2,
    summary: 'Get a device with its plan',
    description: 'The device, its subscription and its plan. 404 while the device is on no plan.',
    answer: Type.Unsafe<OfPlan>(
      withMore(answerOf(deviceV2), 'device with plan', {
        subscription: { ...subscriptionV2, description: 'The active subscription.' },
        deviceId: Type.Integer({ description: 'Id of the device.' }),
        userId: Type.Integer({ description: 'Id of the user whose credit was used.' }),
        planId: Type.Integer({ description: 'Id of the plan.' }),
        plan: { ...shownPlan, description: 'The plan.' },
        created: Type.String({ format: 'date-time', description: 'Start of the subscription.' }),
      }),
    ),
  }),
  putPlanOfDevice: operation('PUT', '/devices/{id}/plan', 'own', {
    ...v2,
    summary: 'Add a device to a plan',
    description:
      "Uses one credit of the device's owner and returns 201. If the device is already on this plan, only `renewUntil` is applied, and the response is 200. The device becomes active.",
    body: { noun: wantedPlan, mode: 'create' },
    status: [200, 201],
    answer: subscriptionV2,
    example: { body: { planId: 1 }, answer: SUBSCRIPTION },
  }),
  removePlanOfDevice: operation('DELETE', '/devices/{id}/plan', 'own', {
    ...v2,
    summary: 'End the plan of a device',
    description: 'The device is deactivated. The credit is not refunded.',
    answer: nothing,
  }),
  putPlanOfDevices: operation('PUT', '/devices/plan', 'user', {
    ...v2,
    summary: 'Add several devices to a plan',
    description:
      'Each device is processed individually: the response is 200 even if some or all of them failed. The caller must own each device.',
    body: { noun: wantedPlans, mode: 'create' },
    answer: bulk,
    example: {
      body: { deviceIdentifiers: ['7'], planId: 1 },
      answer: {
        results: [{ identifier: '7', status: 'SUCCESS', message: '' }],
        summary: { totalRequested: 1, successCount: 1, errorCount: 0 },
      },
    },
  }),
  buyPlans: operation('POST', '/users/buyPlans', 'user', {
    ...v2,
    summary: 'Buy plan credits by SKU',
    description:
      'All or none. Possible if the operator allows it, and for admins. No payment is made: the operator bills the purchase. Send an `Idempotency-Key`, so that a repeat buys nothing twice.',
    body: { noun: purchase, mode: 'create' },
    answer: bought,
    example: {
      body: { currency: 'eur', products: { 'STD-1': 10 } },
      answer: {
        currency: 'eur',
        total: 20,
        orders: [{ sku: 'STD-1', planId: 1, count: 10, orderId: 3, unitPrice: 2 }],
      },
    },
  }),
};

export const claimOperations = {
  claimDevice: operation('POST', '/users/claimDevice', 'user', {
    ...v2,
    summary: 'Claim a device by its serial number',
    description:
      'For devices that an admin offers: their field `claimable`. The caller becomes the owner; shares, triggers and forwarders of the former owner end, and its history is deleted unless the admin keeps it. Every rejection has the same response. Repeated failures are rejected with 429.',
    body: { noun: claim, mode: 'create' },
    answer: answerOf(deviceV2),
    example: { body: { serial: 'A1-00042' } },
  }),
};
