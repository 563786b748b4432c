import { Type } from 'typebox';
import { answerOf, count, list, operation } from './operation.ts';
import { flag, id, key, noun, object, text, time } from './schema.ts';
import { TRY_DAYS } from './trip.ts';

/** A trigger fired. It follows from the data; late data may correct or retract it. */
export const notification = noun(
  'notification',
  {
    id: id(),
    created: time('When it was recorded.', { readOnly: true }),
    timestamp: time('When it happened.', { readOnly: true }),
    params: object(
      'type, subtype, name, zones, message (a sentence for people: English, metric units) and meta. In the meta of a geofence `confidence` (0 to 1) says how sure it is that the device was inside, `eventConfidence` how sure it is that the entry or exit happened.',
      { readOnly: true },
    ),
    deviceId: key('The device.', { readOnly: true }),
    pointId: key('The position that decided it.', { readOnly: true }),
    userId: key('Whom it tells.', { readOnly: true }),
    triggerId: key('What fired.', { readOnly: true }),
    status: text('valid; suppressed: recorded, but not sent; retracted: later data shows that it did not happen.', {
      readOnly: true,
    }),
    reason: text('Why it was suppressed or retracted.', { readOnly: true }),
    late: flag('Whether it was found by data that came late.', { readOnly: true }),
  },
  { always: ['created', 'timestamp', 'params', 'deviceId', 'userId', 'triggerId', 'status', 'late'] },
);

const trial = noun(
  'trial',
  {
    type: text('A type of trigger.', { minLength: 1, maxLength: 100 }),
    parameters: object('What the type needs.', { default: {} }),
    days: TRY_DAYS,
  },
  { required: ['type'] },
);

const wouldFire = Type.Object(
  {
    timestamp: Type.String({ format: 'date-time' }),
    message: Type.String(),
    kind: Type.String(),
    pointId: Type.Union([Type.Integer(), Type.Null()]),
    zoneId: Type.Union([Type.Integer(), Type.Null()]),
  },
  { title: 'what would have fired' },
);

const explanation = Type.Object(
  {
    notification: answerOf(notification),
    trigger: object('The version of the trigger that was in force.'),
    because: object(
      'Fixes, distances, accuracy and thresholds it rests on. `confidence`: of being inside the geofence; `eventConfidence`: that the entry or exit happened.',
    ),
    sentence: Type.String({ description: 'The same for people.' }),
  },
  { title: 'explanation' },
);

export const notificationOperations = {
  listNotifications: list(notification, '/users/{id}/notifications', 'self', {
    summary: 'The notifications of a user',
  }),
  countNotifications: count(notification, '/users/{id}/notifications', 'self'),
  listDeviceNotifications: list(notification, '/devices/{id}/notifications', 'view', {
    summary: 'The notifications about a device',
    description: "A user sees their own, an admin everyone's.",
  }),
  countDeviceNotifications: count(notification, '/devices/{id}/notifications', 'view'),
  explainNotification: operation('GET', '/notifications/{id}/explain', 'user', {
    summary: 'Why did this fire',
    answer: explanation,
  }),
  tryTrigger: operation('POST', '/devices/{id}/notificationTriggers/try', 'manage', {
    summary: 'What would have fired in the last days, had there been this trigger',
    description: 'Nothing is recorded and nobody is told.',
    body: { noun: trial, mode: 'create' },
    answer: Type.Object({
      firings: Type.Array(wouldFire),
      complete: Type.Boolean({ description: 'Whether all of the time was looked at.' }),
    }),
  }),
};
