import { type TSchema, Type } from 'typebox';

/**
 * The types of triggers. Parameters that are not listed here belong to the caller and are stored as they are. A listed
 * one may have a `default`, by which the engine decides and which is not stored, and a `unit`, by which the console shows
 * it in the units of its user.
 */
export interface TriggerType {
  readonly fires: string;
  /** A parameter without `Optional` is needed. */
  readonly parameters: Record<string, TSchema>;
  /** At least one of these parameters is needed. */
  readonly oneOf?: readonly string[];
  /** Its notifications are sent to people in their quiet hours too, and however old they are. */
  readonly urgent?: boolean;
}

/** Units that the console converts. */
export type ParameterUnit = 'km/h' | 'km' | 'm' | '°C';

const optional = (schema: TSchema) => Type.Optional(schema);
const seconds = Type.Number({ minimum: 0, maximum: 31_536_000, description: 'Seconds.' });
const zone = {
  zoneId: optional(Type.Integer({ minimum: 1, description: 'One geofence.' })),
  zoneGroup: optional(
    Type.String({ maxLength: 100, description: "All geofences of this type; neither = all of the trigger's user." }),
  ),
};
const quantity = (unit: ParameterUnit, options: object = {}) =>
  Type.Number({ minimum: 0, description: `${unit}.`, unit, ...options });
const level = (what: string, bound: TSchema = Type.Number()): TriggerType => ({
  fires: `${what} falls below min or rises above max`,
  parameters: { min: optional(bound), max: optional(bound) },
  oneOf: ['min', 'max'],
});
const celsius = Type.Number({ description: '°C.', unit: '°C' satisfies ParameterUnit });
const each = (fires: string, parameters: Record<string, TSchema> = {}): TriggerType => ({ fires, parameters });
const urgent = (type: TriggerType): TriggerType => ({ ...type, urgent: true });

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
    threshold: optional(Type.Number({ minimum: 0, maximum: 100, default: 30, description: 'Percent, 30 by default.' })),
  }),
  speed: each('it is faster than the limit', {
    limit: quantity('km/h'),
    for: optional(seconds),
  }),
  distance: each('it went further than the limit in a UTC day', {
    limit: quantity('km'),
    days: optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: 6 }), { maxItems: 7, description: '0 = Sunday … 6.' }),
    ),
  }),
  temp: level('the temperature', celsius),
  temp_bme: level('the temperature of the BME sensor', celsius),
  humidity: level('the humidity'),
  pressure: level('the pressure'),
  lightLevel: level('the light'),
  ultraLevel: level('the ultrasonic distance'),
  button: urgent(each('its button was pressed')),
  acc: urgent(each('it was dropped')),
  alertMode: urgent(
    each('it raised an alert', {
      mask: optional(
        Type.Integer({ minimum: 0, maximum: 255, default: 255, description: 'Alert bits that count; all by default.' }),
      ),
    }),
  ),
  extAccel: each('acc_maxForce is above the limit', { limit: Type.Number() }),
  proximity: each('another device is near', {
    deviceId: Type.Integer({ minimum: 1, description: 'The other device.' }),
    meters: optional(quantity('m', { default: 50, description: 'm, 50 by default.' })),
  }),
  motionStart: each('it starts moving', { for: optional(seconds) }),
  motionStop: each('it stops moving', { for: optional(seconds) }),
  tow: urgent(
    each(
      'it moves with the ignition off. Readings of type `ignition` (true, 1, "on" and their opposites) say whether it is on; for a device that sends none, bit 32 of `alertType` does, which is set while it is on. A device that reports neither never fires',
      { meters: optional(quantity('m', { default: 100, description: 'm from where it was parked, 100 by default.' })) },
    ),
  ),
  offline: each('nothing was received from it for a while', {
    after: Type.Number({ minimum: 1, maximum: 31_536_000, description: 'Seconds.' }),
  }),
  expiresDaily: each('its plan ends within a day'),
  expiresWeekly: each('its plan ends within a week'),
} as const satisfies Record<string, TriggerType>;

export type TriggerTypeName = keyof typeof TRIGGER_TYPES;
