import { Type } from 'typebox';
import { answerOf } from '../operation.ts';
import { gatewayReading } from './gateway-reading.ts';
import { message } from './message.ts';
import { notification, unreadNotifications } from './notification.ts';
import { point } from './point.ts';

/** The path of the live stream. It is not in the table of operations because its response never ends. */
export const LIVE_PATH = '/live';

const deviceId = Type.Integer({ description: 'Id of the device.' });

/** The data of each event, by event name. */
export const LIVE_EVENTS = {
  position: { ...answerOf(point), description: 'A new position.' },
  reading: { ...answerOf(gatewayReading), description: 'A new reading.' },
  message: { ...answerOf(message), description: 'A new message, to or from a device.' },
  notification: { ...answerOf(notification), description: 'A new or changed notification.' },
  retraction: Type.Object(
    {
      id: Type.Integer({ description: 'Id of the notification.' }),
      deviceId,
      triggerId: Type.Integer({ description: 'Id of the trigger.' }),
      reason: Type.String({ description: 'Why it was retracted.' }),
    },
    { title: 'retraction', description: 'A notification was retracted because later data has proven it wrong.' },
  ),
  unread: { ...unreadNotifications, description: 'The user has read or acknowledged notifications.' },
  device: Type.Object(
    {
      id: deviceId,
      lastConnection: Type.Optional(Type.String({ format: 'date-time', description: 'When it last reported.' })),
      moving: Type.Optional(
        Type.Union([Type.Boolean(), Type.Null()], { description: 'Whether it is moving. Null if unknown.' }),
      ),
      batteryPct: Type.Optional(Type.Number({ description: 'Battery level in percent.' })),
      batteryVoltage: Type.Optional(Type.Number({ description: 'Battery voltage in volts.' })),
      currentMode: Type.Optional(Type.Integer({ description: '0 awake, 1 asleep, 2 available, 6 flight.' })),
    },
    { title: 'device state', description: 'The state of a device has changed. Absent fields have not changed.' },
  ),
  access: Type.Object(
    {
      deviceId,
      right: Type.Union([Type.Enum(['view', 'manage', 'own'], { title: 'device right' }), Type.Null()], {
        description: 'New right of the caller. Null: no more events of this device follow.',
      }),
    },
    { title: 'access change', description: 'The right of the caller on a device has changed.' },
  ),
  reset: Type.Object(
    {},
    { title: 'reset', description: 'Events since the given id are no longer available. Reload the data.' },
  ),
};

export type LiveEventName = keyof typeof LIVE_EVENTS;
