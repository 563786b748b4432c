import { type TSchema, Type } from 'typebox';

/**
 * The trigger types and their parameters. A parameter without `Optional` is required, and at least one of the parameters
 * in `oneOf` is required. Unknown parameters are custom data and are stored.
 */
export interface TriggerType {
  /** Completes the sentence "Fires when …". */
  readonly fires: string;
  readonly parameters: Record<string, TSchema>;
  readonly oneOf?: readonly string[];
}

const optional = (schema: TSchema) => Type.Optional(schema);
const seconds = Type.Number({
  minimum: 0,
  maximum: 31_536_000,
  description: 'Seconds the condition must last. Defaults to 0.',
});
const zone = {
  zoneId: optional(Type.Integer({ minimum: 1, description: 'Id of a geofence.' })),
  zoneGroup: optional(
    Type.String({
      maxLength: 100,
      description: 'All geofences of this type. Without zoneId and zoneGroup, all geofences of the user.',
    }),
  ),
};
const level = (what: string): TriggerType => ({
  fires: `${what} falls below min or rises above max`,
  parameters: {
    min: optional(Type.Number({ description: 'Lower limit.' })),
    max: optional(Type.Number({ description: 'Upper limit, both in the unit of the reading.' })),
  },
  oneOf: ['min', 'max'],
});
const each = (fires: string, parameters: Record<string, TSchema> = {}): TriggerType => ({ fires, parameters });

export const TRIGGER_TYPES = {
  newLoc: each('a position is received'),
  newWakeLoc: each('a position is received while the device is awake or moving'),
  newAvailLoc: each('a position is received in available mode'),
  newReading: each('a reading is received', {
    readingType: optional(Type.String({ maxLength: 100, description: 'Only readings of this type.' })),
  }),
  newMsg: each('the device sends a message'),
  geofence: each('the device enters or leaves a geofence', {
    ...zone,
    zoneType: optional(
      Type.Enum(['inside', 'outside', 'cross'], {
        description: '`inside`: on entry, `outside`: on exit, `cross`: both. Defaults to `cross`.',
      }),
    ),
  }),
  geoEntry: each('the device enters a geofence', zone),
  lowBat: each('the battery level falls to the threshold', {
    threshold: optional(
      Type.Number({ minimum: 0, maximum: 100, description: 'Battery level in percent. Defaults to 30.' }),
    ),
  }),
  speed: each('the device exceeds the speed limit', {
    limit: Type.Number({ minimum: 0, description: 'Speed in km/h.' }),
    for: optional(seconds),
  }),
  distance: each('the device travels farther than the limit within a UTC day', {
    limit: Type.Number({ minimum: 0, description: 'Distance in km.' }),
    days: optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: 6 }), {
        maxItems: 7,
        description: 'Days of the week, 0 Sunday … 6 Saturday. Defaults to all.',
      }),
    ),
  }),
  temp: level('the temperature'),
  temp_bme: level('the temperature of the BME sensor'),
  humidity: level('the humidity'),
  pressure: level('the pressure'),
  lightLevel: level('the light level'),
  ultraLevel: level('the ultrasonic distance'),
  button: each('the button of the device is pressed'),
  acc: each('the device is dropped'),
  alertMode: each('the device raises an alert', {
    mask: optional(Type.Integer({ minimum: 0, maximum: 255, description: 'Alert bits to consider. Defaults to all.' })),
  }),
  extAccel: each('a reading of type acc_maxForce exceeds the limit', {
    limit: Type.Number({ description: 'Force, in the unit of the reading.' }),
  }),
  proximity: each('another device comes near', {
    deviceId: Type.Integer({ minimum: 1, description: 'Id of the other device.' }),
    meters: optional(Type.Number({ minimum: 0, description: 'Distance in metres. Defaults to 50.' })),
  }),
  motionStart: each('the device starts moving', { for: optional(seconds) }),
  motionStop: each('the device stops moving', { for: optional(seconds) }),
  offline: each('the device does not report for some time', {
    after: Type.Number({ minimum: 1, maximum: 31_536_000, description: 'Seconds without a report.' }),
  }),
  expiresDaily: each('the plan of the device expires within a day'),
  expiresWeekly: each('the plan of the device expires within a week'),
} as const satisfies Record<string, TriggerType>;

export type TriggerTypeName = keyof typeof TRIGGER_TYPES;
