import { type TSchema, Type } from 'typebox';

/** The ways out for a notification, each a flag in a trigger's `delivery`. */
export const CHANNELS = ['push', 'email', 'http', 'sqs', 'mqtt'] as const;
export type Channel = (typeof CHANNELS)[number];

/** What a trigger's `delivery` may say besides. */
export const deliverySchema: TSchema = Type.Object({
  push: Type.Optional(Type.Boolean()),
  email: Type.Optional(Type.Boolean()),
  http: Type.Optional(Type.Boolean()),
  sqs: Type.Optional(Type.Boolean()),
  mqtt: Type.Optional(Type.Boolean()),
  sqsArn: Type.Optional(Type.String({ maxLength: 300 })),
});

export const DEFAULT_DELIVERY = { push: true, email: false };
