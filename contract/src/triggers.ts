import { type TSchema, Type } from 'typebox';

/**
 * The kinds of triggers and their parameters. A parameter without `Optional` is needed. `oneOf` lists parameters of which
 * at least one is needed. Unknown parameters are the caller's own and are kept.
 */
export interface TriggerType {
  readonly fires: string;
  readonly parameters: Record<string, TSchema>;
  readonly oneOf?: readonly string[];
}

const optional = (schema: TSchema) => Type.Optional(schema);
const seconds = Type.Number({ minimum: 0, maximum: 31_536_000, description: 'Seconds.' });
const zone = {
  zoneId: optional(Type.Integer({ minimum: 1, description: 'One geofence.' })),
  zoneGroup: optional(
    Type.String({ maxLength: 100, description: "All geofences of this type; neither = all of the trigger's user." }),
  ),
};
const level = (what: string): TriggerType => ({
  fires: `${what} falls below min or rises above max`,
  parameters: { min: optional(Type.Number()), max: optional(Type.Number()) },
  oneOf: ['min', 'max'],
});
const each = (fires: string, parameters: Record<string, TSchema> = {}): TriggerType => ({ fires, parameters });

export const TRIGGER_TYPES = {
  newLoc: each('a position arrived'),
  newWakeLoc: each('a position arrived while awake or moving'),
  newAvailLoc: each('a position arrived in available mode'),
  newReading: each('a reading arrived', { readingType: optional(Type.String({ maxLength: 100 })) }),
  newMsg: each('a message came from the device'),
  geofence: each('its relation to a zone changes', {
    ...zone,
    zoneType: optional(
      Type.Enum(['inside', 'outside', 'cross'], { description: 'At entry, at exit, or both (cross).' }),
    ),
  }),
  geoEntry: each('it enters a zone', zone),
  lowBat: each('the battery is at or below the threshold', {
    threshold: optional(Type.Number({ minimum: 0, maximum: 100, description: 'Percent, 30 by default.' })),
  }),
  speed: each('it is faster than the limit', {
    limit: Type.Number({ minimum: 0, description: 'km/h.' }),
    for: optional(seconds),
  }),
  distance: each('it went further than the limit in a UTC day', {
    limit: Type.Number({ minimum: 0, description: 'km.' }),
    days: optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: 6 }), { maxItems: 7, description: '0 = Sunday … 6.' }),
    ),
  }),
  temp: level('the temperature'),
  temp_bme: level('the temperature of the BME sensor'),
  humidity: level('the humidity'),
  pressure: level('the pressure'),
  lightLevel: level('the light'),
  ultraLevel: level('the ultrasonic distance'),
  button: each('its button was pressed'),
  acc: each('it was dropped'),
  alertMode: each('it raised an alert', {
    mask: optional(Type.Integer({ minimum: 0, maximum: 255, description: 'Alert bits that count.' })),
  }),
  extAccel: each('acc_maxForce is above the limit', { limit: Type.Number() }),
  proximity: each('another device is near', {
    deviceId: Type.Integer({ minimum: 1, description: 'The other device.' }),
    meters: optional(Type.Number({ minimum: 0, description: '50 by default.' })),
  }),
  motionStart: each('it starts moving', { for: optional(seconds) }),
  motionStop: each('it stops moving', { for: optional(seconds) }),
  offline: each('nothing was received from it for a while', {
    after: Type.Number({ minimum: 1, maximum: 31_536_000, description: 'Seconds.' }),
  }),
  expiresDaily: each('its plan ends within a day'),
  expiresWeekly: each('its plan ends within a week'),
} as const satisfies Record<string, TriggerType>;

export type TriggerTypeName = keyof typeof TRIGGER_TYPES;
