import { type TSchema, Type } from 'typebox';

/** The channels a notification can be sent by. Each is a flag in a trigger's `delivery`. */
export const CHANNELS = ['push', 'email', 'http', 'sqs', 'mqtt'] as const;
export type Channel = (typeof CHANNELS)[number];

export const deliverySchema: TSchema = Type.Object({
  push: Type.Optional(Type.Boolean({ description: 'Web push, to the browsers the user has subscribed.' })),
  email: Type.Optional(Type.Boolean({ description: 'E-mail, to `parameters.email` or to the user.' })),
  http: Type.Optional(Type.Boolean({ description: 'Webhook, to `parameters.endpoint`.' })),
  sqs: Type.Optional(Type.Boolean({ description: 'Queue, to `sqsArn` or `parameters.sqsArn`.' })),
  mqtt: Type.Optional(Type.Boolean({ description: 'MQTT, to `users/{userId}/devices/{deviceId}`.' })),
  sqsArn: Type.Optional(Type.String({ maxLength: 300, description: 'ARN of the queue.' })),
});

export const DEFAULT_DELIVERY = { push: true, email: false };
