import { Type } from 'typebox';
import { gatewayReading } from './gateway-reading.ts';
import { message } from './message.ts';
import { notification } from './notification.ts';
import { answerOf } from './operation.ts';
import { point } from './point.ts';

/** The stream of what happens, as server-sent events. It is no operation: its answer does not end. */
export const LIVE_PATH = '/live';

const deviceId = Type.Integer({ description: 'The device.' });

/** What the stream tells, by the name of the event. */
export const LIVE_EVENTS = {
  position: answerOf(point),
  reading: answerOf(gatewayReading),
  message: answerOf(message),
  notification: answerOf(notification),
  retraction: Type.Object(
    {
      id: Type.Integer({ description: 'The notification.' }),
      deviceId,
      triggerId: Type.Integer(),
      reason: Type.String(),
    },
    { description: 'Later data shows that it did not happen.' },
  ),
  device: Type.Object(
    {
      id: deviceId,
      lastConnection: Type.Optional(Type.String({ format: 'date-time' })),
      moving: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
      batteryPct: Type.Optional(Type.Number()),
      batteryVoltage: Type.Optional(Type.Number()),
      currentMode: Type.Optional(Type.Integer()),
    },
    { description: 'What is new about a device; what is absent stayed as it was.' },
  ),
  access: Type.Object(
    { deviceId, right: Type.Union([Type.Enum(['view', 'manage', 'own']), Type.Null()]) },
    { description: 'What the caller may do with a device from now on; null: its events end here.' },
  ),
  reset: Type.Object({}, { description: 'What happened since the last event is not kept: read everything anew.' }),
};

export type LiveEventName = keyof typeof LIVE_EVENTS;
