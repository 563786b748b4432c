import { Type } from 'typebox';
import { answerOf, count, list, operation } from '../operation.ts';
import { flag, id, key, list as listField, noun, object, text, time, word } from '../schema.ts';
import { SEVERITIES } from '../severities.ts';
import { TRIGGER_TYPES } from '../triggers.ts';
import { TRY_DAYS } from './trip.ts';

/** Created when a trigger fires. Late data may correct or retract it. */
export const notification = noun(
  'notification',
  {
    id: id(),
    created: time('When it was recorded.', { readOnly: true }),
    timestamp: time('When it happened.', { readOnly: true }),
    params: object(
      '`type`, `subtype`, `name`, `zones`, `message` (a sentence for people, English and metric) and `meta`. `sent` is the `sentence` in `language` and `units` of the user, where these are others. For a geofence, `meta.confidence` (0 to 1) is the confidence that the device was inside, `meta.eventConfidence` the confidence that the entry or exit happened.',
      { readOnly: true },
    ),
    deviceId: key('Id of the device.', { readOnly: true }),
    pointId: key('Id of the position that caused it.', { readOnly: true }),
    userId: key('Id of the user who is notified.', { readOnly: true }),
    triggerId: key('Id of the trigger that fired. 0 for notifications of the service itself.', {
      readOnly: true,
      minimum: 0,
    }),
    status: text('`valid`; `suppressed`: recorded but not sent; `retracted`: later data has proven it wrong.', {
      readOnly: true,
    }),
    reason: text('Why it was suppressed or retracted.', { readOnly: true }),
    late: flag('Whether it results from data that arrived late.', { readOnly: true }),
    message: text('The same as `params.message`.', { readOnly: true }),
    readingId: key('Id of the reading that caused it.', { readOnly: true }),
    dismissedOn: time('When it was acknowledged.', { readOnly: true }),
    dismissedBy: key('Id of the user who acknowledged it.', { readOnly: true }),
    severity: Type.Enum([...SEVERITIES], {
      readOnly: true,
      title: 'severity',
      description: 'Severity, as set in its trigger when it fired.',
    }),
    unread: flag('Whether the user has not read it yet.', { readOnly: true }),
    note: text('Note of the acknowledgement.', { readOnly: true }),
    escalatedAt: time('When it was escalated because it was not acknowledged.', { readOnly: true }),
  },
  {
    always: [
      'created',
      'timestamp',
      'params',
      'deviceId',
      'userId',
      'triggerId',
      'status',
      'late',
      'severity',
      'unread',
    ],
  },
);

const trial = noun(
  'trial',
  {
    type: word(Object.keys(TRIGGER_TYPES), 'Trigger type.', { title: 'trigger type', minLength: 1, maxLength: 100 }),
    parameters: object('Parameters of the type.', { default: {} }),
    days: TRY_DAYS,
  },
  { required: ['type'], sentAs: 'trigger trial' },
);

const acknowledgement = noun(
  'acknowledgement',
  { note: text('What was done.', { maxLength: 1000 }) },
  { sentAs: 'acknowledgement' },
);

const readMark = noun(
  'read mark',
  {
    ids: listField(key('Id of a notification.'), 'Ids of the notifications.', { maxItems: 1000 }),
    upTo: key('Every notification with an id up to this one.'),
  },
  { sentAs: 'read mark' },
);

export const unreadNotifications = Type.Object(
  {
    unread: Type.Integer({ description: 'Notifications the user has not read, at most 1000.' }),
    critical: Type.Integer({ description: 'How many of them are critical.' }),
    warning: Type.Integer({ description: 'How many of them are warnings.' }),
  },
  { title: 'unread notifications' },
);

const wouldFire = Type.Object(
  {
    timestamp: Type.String({ format: 'date-time', description: 'When the trigger would have fired.' }),
    message: Type.String({ description: 'The notification as a sentence.' }),
    kind: Type.String({ description: 'What happened, such as `entry`, `exit` or `over`.' }),
    pointId: Type.Union([Type.Integer(), Type.Null()], { description: 'Id of the position that causes it.' }),
    zoneId: Type.Union([Type.Integer(), Type.Null()], { description: 'Id of the geofence.' }),
  },
  { title: 'firing' },
);

const explanation = Type.Object(
  {
    notification: { ...answerOf(notification), description: 'The notification.' },
    trigger: object('Version of the trigger that was in effect.'),
    because: object(
      'Evidence: fixes, distances, accuracy, confidence and thresholds. `confidence` is that of being inside the geofence, `eventConfidence` that of the entry or exit. `heardBy`: the gateways that located the position.',
    ),
    sentence: Type.String({ description: 'The evidence as a sentence.' }),
  },
  { title: 'explanation' },
);

export const notificationOperations = {
  listNotifications: list(notification, '/users/{id}/notifications', 'self'),
  countNotifications: count(notification, '/users/{id}/notifications', 'self'),
  listDeviceNotifications: list(notification, '/devices/{id}/notifications', 'view', {
    description: 'Users see their own notifications, admins all.',
  }),
  countDeviceNotifications: count(notification, '/devices/{id}/notifications', 'view'),
  getUnreadNotifications: operation('GET', '/users/{id}/notifications/unread', 'self', {
    summary: 'Count the unread notifications of a user',
    description: 'Retracted and suppressed notifications do not count.',
    answer: unreadNotifications,
    example: { answer: { unread: 3, critical: 1, warning: 0 } },
  }),
  readNotifications: operation('POST', '/users/{id}/notifications/read', 'self', {
    summary: 'Mark notifications of a user as read',
    description: 'The notifications in `ids`, and all up to `upTo`.',
    body: { noun: readMark, mode: 'create' },
    answer: unreadNotifications,
    example: { body: { upTo: 814 }, answer: { unread: 0, critical: 0, warning: 0 } },
  }),
  acknowledgeNotification: operation('POST', '/notifications/{id}/acknowledge', 'user', {
    summary: 'Acknowledge a notification',
    description:
      'Records that a user takes care of it: it is not escalated, and queued deliveries of an escalation are cancelled. The first acknowledgement is kept; a later note replaces the note. Users acknowledge their own notifications, admins all.',
    body: { noun: acknowledgement, mode: 'create' },
    answer: answerOf(notification),
  }),
  explainNotification: operation('GET', '/notifications/{id}/explain', 'user', {
    summary: 'Explain a notification',
    description: 'Returns the evidence for the notification. Users see their own notifications, admins all.',
    answer: explanation,
  }),
  tryTrigger: operation('POST', '/devices/{id}/notificationTriggers/try', 'manage', {
    summary: 'Test a trigger against recent data',
    description:
      'Returns when the trigger would have fired in the last days. Nothing is recorded and no notification is sent.',
    body: { noun: trial, mode: 'create' },
    answer: Type.Object(
      {
        firings: Type.Array(wouldFire, { description: 'When the trigger would have fired, in order of time.' }),
        complete: Type.Boolean({ description: 'Whether the whole time range was evaluated.' }),
      },
      { title: 'trigger trial result' },
    ),
  }),
};
