/** Meanings of field names in decoded payloads, across manufacturers and codecs. */

/** A value of the position, if the payload has one. */
export type PlaceRole = 'altitude' | 'hdop' | 'sats' | 'speed' | 'course' | 'accuracy' | 'time';

export type Role =
  | { readonly is: 'place'; readonly role: PlaceRole; readonly factor?: number }
  /** A reading with a type of the product. */
  | { readonly is: 'number' | 'state'; readonly type: string }
  | { readonly is: 'percent' | 'volts' | 'sos' | 'alarm' };

/** A suffix: a channel, a number, or the name of the sensor: `temperature_3`, `TempC_SHT`. */
const ANY = '(?:[_ ].*|\\d+)?';
const NUMBERED = '(?:_?\\d+)?';

const rule = (words: string, after: string, role: Role) => [new RegExp(`^(?:${words})${after}$`, 'i'), role] as const;

const RULES: readonly (readonly [RegExp, Role])[] = [
  rule('alt|altitude|altitude_m', '', { is: 'place', role: 'altitude' }),
  rule('hdop', '', { is: 'place', role: 'hdop' }),
  rule('sats?|satellites?|num_?sats?|satellites_?(?:count|used|in_view)', '', { is: 'place', role: 'sats' }),
  rule('speed|speed_?km_?h|speed_?kph', '', { is: 'place', role: 'speed' }),
  rule('speed_?(?:ms|mps|m_s)', '', { is: 'place', role: 'speed', factor: 3.6 }),
  rule('speed_?(?:kn|kt|kts|knots?)', '', { is: 'place', role: 'speed', factor: 1.852 }),
  rule('heading|course|bearing', '', { is: 'place', role: 'course' }),
  rule('accuracy|horizontal_?accuracy|h_?acc|radius', '', { is: 'place', role: 'accuracy' }),
  rule('time|timestamp|gps_?time|gnss_?time|fix_?time|utc', '', { is: 'place', role: 'time' }),
  rule('battery|battery_?(?:level|pct|percent|percentage|soc)|bat_?(?:pct|percent|level|soc)', NUMBERED, {
    is: 'percent',
  }),
  rule('bat|batt|bat_?v|v_?bat|batt_?v|v_?batt|batt?_?(?:volt|voltage|mv)|battery_?(?:v|volt|volts|voltage|mv)', '', {
    is: 'volts',
  }),
  rule('sos|sos_?(?:alarm|event|button|status)|panic|alarm_?status', '', { is: 'sos' }),
  rule('alarm|alert', '', { is: 'alarm' }),
  // Fahrenheit values keep their field name.
  rule('temp_?f|temperature_?f|temp_?fahrenheit|temperature_?fahrenheit', '', { is: 'number', type: '' }),
  rule('temp|temp_?c|temperature|temperature_?sensor|air_?temperature', ANY, { is: 'number', type: 'temp' }),
  rule('hum|humidity|humidity_?sensor|relative_?humidity|air_?relative_?humidity|rh', ANY, {
    is: 'number',
    type: 'humidity',
  }),
  rule('pressure|barometer|barometric_?pressure|air_?pressure', NUMBERED, { is: 'number', type: 'pressure' }),
  rule('light|light_?intensity|air_?light_?intensity|lux|illuminance|illuminance_?sensor|luminosity', NUMBERED, {
    is: 'number',
    type: 'light',
  }),
  rule('co2|co2_?ppm', NUMBERED, { is: 'number', type: 'co2' }),
  rule('motion|md|motion_?detected|action_?motion_?detected', NUMBERED, { is: 'state', type: 'motion' }),
  rule('door|door_?(?:open|status|open_?status)', NUMBERED, { is: 'state', type: 'door' }),
];

const LATITUDE = /^(?:lat|latitude|gps_?lat|gps_?latitude)$/i;
const LONGITUDE = /^(?:lon|lng|long|longitude|gps_?lon|gps_?lng|gps_?longitude)$/i;
export const isLatitude = (name: string) => LATITUDE.test(name);
export const isLongitude = (name: string) => LONGITUDE.test(name);
export const isAccelerometer = (name: string) =>
  /^(?:accel|acceleration|accelerometer|acc)(?:[_ ].*|\d+)?$/i.test(name);

/** Undefined for an unknown name, which becomes the type of the reading. */
export function roleOf(name: string): Role | undefined {
  // Names can be long; known ones are not.
  if (name.length > 60) return undefined;
  const role = RULES.find(([pattern]) => pattern.test(name))?.[1];
  return role !== undefined && 'type' in role && role.type === '' ? undefined : role;
}
