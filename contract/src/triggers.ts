import { type TSchema, Type } from 'typebox';
import { ALARMS } from './alarms.ts';

/**
 * The trigger types. Parameters that are not listed are custom data and are stored. A listed one may have a `default`,
 * which the engine uses and does not store, a `unit`, so that the console shows it in the user's units, and `refersTo`,
 * if it is an id: the server checks that the user has access to that object.
 */
export interface TriggerType {
  /** Completes the sentence "Fires when …". */
  readonly fires: string;
  /** A parameter without `Optional` is required. */
  readonly parameters: Record<string, TSchema>;
  /** At least one of these parameters is required. */
  readonly oneOf?: readonly string[];
  /** Its notifications are sent to people also in quiet hours, and regardless of their age. */
  readonly urgent?: boolean;
}

export type Reference = 'geofence' | 'device';
export type ParameterUnit = 'km/h' | 'km' | 'm' | '°C' | '%' | 'hPa' | 'lx';

const optional = (schema: TSchema) => Type.Optional(schema);
const seconds = Type.Number({
  minimum: 0,
  maximum: 31_536_000,
  default: 0,
  description: 'Seconds the condition must last. Defaults to 0.',
});
const zone = {
  zoneId: optional(Type.Integer({ minimum: 1, description: 'Id of a geofence.', refersTo: 'geofence' })),
  zoneGroup: optional(
    Type.String({
      maxLength: 100,
      description: 'All geofences of this type. Without zoneId and zoneGroup, all geofences of the user.',
    }),
  ),
};
const quantity = (unit: ParameterUnit, description: string, options: object = {}) =>
  Type.Number({ minimum: 0, description, unit, ...options });
const level = (what: string, unit?: ParameterUnit): TriggerType => ({
  fires: `${what} falls below min or rises above max`,
  parameters: {
    min: optional(Type.Number({ description: 'Lower limit.', unit })),
    max: optional(Type.Number({ description: 'Upper limit, both in the unit of the reading.', unit })),
  },
  oneOf: ['min', 'max'],
});
const each = (fires: string, parameters: Record<string, TSchema> = {}): TriggerType => ({ fires, parameters });
const urgent = (type: TriggerType): TriggerType => ({ ...type, urgent: true });

/** Maximum distance of a proximity, in metres. */
export const MOST_PROXIMITY_M = 1000;

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
    threshold: optional(quantity('%', 'Battery level in percent. Defaults to 30.', { maximum: 100, default: 30 })),
  }),
  speed: each('the device exceeds the speed limit', {
    limit: quantity('km/h', 'Speed in km/h.'),
    for: optional(seconds),
  }),
  distance: each('the device travels farther than the limit within a UTC day', {
    limit: quantity('km', 'Distance in km.'),
    days: optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: 6 }), {
        maxItems: 7,
        description: 'Days of the week, 0 Sunday … 6 Saturday. Defaults to all.',
      }),
    ),
  }),
  temp: level('the temperature', '°C'),
  temp_bme: level('the temperature of the BME sensor', '°C'),
  humidity: level('the humidity', '%'),
  pressure: level('the pressure', 'hPa'),
  lightLevel: level('the light level', 'lx'),
  ultraLevel: level('the ultrasonic distance'),
  button: urgent(each('the button of the device is pressed')),
  acc: urgent(each('the device is dropped')),
  alertMode: urgent(
    each('the device raises an alert', {
      mask: optional(
        Type.Integer({
          minimum: 0,
          maximum: 255,
          default: 255,
          description: 'Alert bits to consider. Defaults to all.',
        }),
      ),
    }),
  ),
  alarm: urgent(
    each('a tracker raises an alarm: a reading of type `alarm` is received', {
      alarms: optional(
        Type.Array(Type.Enum([...ALARMS]), { maxItems: 50, description: 'Alarms to consider. Defaults to all.' }),
      ),
    }),
  ),
  extAccel: each('a reading of type acc_maxForce exceeds the limit', {
    limit: Type.Number({ description: 'Force, in the unit of the reading.' }),
  }),
  proximity: each('another device comes near', {
    deviceId: Type.Integer({
      minimum: 1,
      description: 'Id of the other device, which you may see. The trigger ends when you can no longer view it.',
      refersTo: 'device',
    }),
    meters: optional(
      quantity('m', `Distance in metres, at most ${MOST_PROXIMITY_M}. Defaults to 50.`, {
        default: 50,
        maximum: MOST_PROXIMITY_M,
      }),
    ),
  }),
  motionStart: each('the device starts moving', { for: optional(seconds) }),
  motionStop: each('the device stops moving', { for: optional(seconds) }),
  tow: urgent(
    each(
      'the device moves while its ignition is off. Readings of type `ignition` (true, 1, "on" and their opposites) say whether it is on; for a device that sends none, bit 32 of `alertType` does, which is set while it is on. A device that reports neither never fires',
      {
        meters: optional(
          quantity('m', 'Distance in metres from where the ignition went off. Defaults to 100.', { default: 100 }),
        ),
      },
    ),
  ),
  offline: each('the device does not report for some time', {
    after: Type.Number({ minimum: 1, maximum: 31_536_000, description: 'Seconds without a report.' }),
  }),
  expiresDaily: each('the plan of the device expires within a day'),
  expiresWeekly: each('the plan of the device expires within a week'),
  maintenance: each('a maintenance task of the device is due, or will be soon; once for each task, until it is done'),
} as const satisfies Record<string, TriggerType>;

export type TriggerTypeName = keyof typeof TRIGGER_TYPES;
