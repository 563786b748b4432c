import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import { allOf, anyOf, countedIn, number } from '../counting.ts';
import type { ClauseParts, WhyParts } from '../trigger-parts.ts';

const plural = countedIn('en');

/** "2 minutes", "1 hour 30 minutes": durations inside a sentence. */
function lasting(seconds: number): string {
  if (seconds < 60) return plural(Math.round(seconds), 'second', 'seconds');
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return plural(minutes, 'minute', 'minutes');
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours < 24) return plural(hours, 'hour', 'hours') + (rest > 0 ? ` ${plural(rest, 'minute', 'minutes')}` : '');
  return plural(Math.round(hours / 24), 'day', 'days');
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const ALERTS = ['Drop', 'Rotation', 'Jamming', 'Button', 'Generic', 'Ignition'];

const measured = (what: string, { min, max }: ClauseParts) => {
  if (min !== undefined && max !== undefined) return `${what} falls below ${min} or rises above ${max}`;
  if (min !== undefined) return `${what} falls below ${min}`;
  return max === undefined ? `${what} is out of range` : `${what} rises above ${max}`;
};

const enters = (zone: string, after: number) =>
  after > 0 ? `has been inside ${zone} for ${lasting(after)}` : `enters ${zone}`;
const leaves = (zone: string, after: number) =>
  after > 0 ? `has been outside ${zone} for ${lasting(after)}` : `leaves ${zone}`;
const crosses = ({ zone, enterAfter, exitAfter }: ClauseParts) =>
  enterAfter === 0 && exitAfter === 0
    ? `enters or leaves ${zone}`
    : `${enters(zone, enterAfter)} or ${leaves('it', exitAfter)}`;

const onDays = (days: readonly number[]) =>
  days.length === 0 || days.length === DAYS.length ? 'in one day' : `on a ${anyOf(days.map((day) => DAYS[day]!))}`;

/** "a drop or button alert"; any where none is chosen. */
function alertsIn(mask: number | undefined): string {
  const named = ALERTS.filter((_, bit) => ((mask ?? 0) & (1 << bit)) !== 0).map((name) => name.toLowerCase());
  if (!mask) return 'an alert';
  return named.length === 0
    ? 'one of the selected alerts'
    : `${/^[aeiou]/.test(named[0]!) ? 'an' : 'a'} ${anyOf(named)} alert`;
}

/** Each type as the middle of a sentence: "When Van 3 … , e-mail me". */
const clauses: Record<TriggerTypeName, (device: string, parts: ClauseParts) => string> = {
  newLoc: (device) => `${device} reports a position`,
  newWakeLoc: (device) => `${device} reports a position while awake or moving`,
  newAvailLoc: (device) => `${device} reports a position in available mode`,
  newReading: (device, { readingType }) =>
    readingType ? `${device} reports a reading of type ${readingType}` : `${device} reports any reading`,
  newMsg: (device) => `${device} sends a message`,
  geofence: (device, parts) =>
    ({
      inside: `${device} ${enters(parts.zone, parts.enterAfter)}`,
      outside: `${device} ${leaves(parts.zone, parts.exitAfter)}`,
      cross: `${device} ${crosses(parts)}`,
    })[parts.zoneType],
  geoEntry: (device, { zone, enterAfter }) => `${device} ${enters(zone, enterAfter)}`,
  lowBat: (device, { threshold }) => `the battery of ${device} falls to ${threshold} or below`,
  speed: (device, { limit, lasts }) =>
    lasts > 0
      ? `${device} has been moving faster than ${limit} for ${lasting(lasts)}`
      : `${device} moves faster than ${limit}`,
  distance: (device, { limit, days }) => `${device} travels more than ${limit} ${onDays(days)}`,
  temp: (device, parts) => measured(`the temperature of ${device}`, parts),
  temp_bme: (device, parts) => measured(`the temperature (BME) of ${device}`, parts),
  humidity: (device, parts) => measured(`the humidity at ${device}`, parts),
  pressure: (device, parts) => measured(`the pressure at ${device}`, parts),
  lightLevel: (device, parts) => measured(`the light level at ${device}`, parts),
  ultraLevel: (device, parts) => measured(`the ultrasonic distance of ${device}`, parts),
  button: (device) => `the button on ${device} is pressed`,
  acc: (device) => `${device} is dropped`,
  alertMode: (device, { mask }) => `${device} raises ${alertsIn(mask)}`,
  alarm: (device, { alarms }) => `${device} raises ${alarms.length === 0 ? 'any alarm' : `the alarm ${anyOf(alarms)}`}`,
  extAccel: (device, { limit }) => `the peak force on ${device} rises above ${limit}`,
  proximity: (device, { other, meters }) => `${device} comes within ${meters} of ${other}`,
  motionStart: (device, { lasts }) =>
    lasts > 0 ? `${device} has been moving for ${lasting(lasts)}` : `${device} starts moving`,
  motionStop: (device, { lasts }) =>
    lasts > 0 ? `${device} has been stopped for ${lasting(lasts)}` : `${device} stops moving`,
  tow: (device, { meters }) => `${device} is towed: moves more than ${meters} with the ignition off`,
  offline: (device, { after }) => `${device} has not reported for ${after > 0 ? lasting(after) : '…'}`,
  expiresDaily: (device) => `the plan of ${device} expires within a day`,
  expiresWeekly: (device) => `the plan of ${device} expires within a week`,
  maintenance: (device) => `maintenance of ${device} is due, or will be soon`,
};

function crossed(device: string, { crossing }: WhyParts): string | undefined {
  if (crossing === undefined) return undefined;
  const { fence = 'the geofence', where, accuracy, sure, isStopped, isPassage } = crossing;
  if (isPassage) return `${device} passed through ${fence} between two positions. ${sure}.`;
  return `${device} was ${isStopped ? 'stopped ' : ''}${where} ${fence} (± ${accuracy}). ${sure}.`;
}

const measuredAt =
  (what: string) =>
  (device: string, { value, below, above }: WhyParts) => {
    if (below !== undefined) return `The ${what} ${device} was ${value}, below the minimum of ${below}.`;
    return `The ${what} ${device} was ${value}${above === undefined ? '' : `, above the maximum of ${above}`}.`;
  };
const planExpires = (device: string, { expires }: WhyParts) => `The plan of ${device} expires at ${expires}.`;

/** Why each type fired: "Van 3 was 0.8 mi outside Home (± 26 ft). Certain." Undefined where the facts do not say. */
const why: Record<TriggerTypeName, (device: string, parts: WhyParts) => string | undefined> = {
  newLoc: (device) => `${device} reported a position.`,
  newWakeLoc: (device) => `${device} reported a position while awake or moving.`,
  newAvailLoc: (device) => `${device} reported a position in available mode.`,
  newReading: (device, { readingType, value }) => `${device} reported a reading of type ${readingType}: ${value}.`,
  newMsg: (device) => `${device} sent a message.`,
  geofence: crossed,
  geoEntry: crossed,
  lowBat: (device, { value, threshold }) => `The battery of ${device} was at ${value}. The threshold is ${threshold}.`,
  speed: (device, { value, limit }) => `${device} was moving at ${value}. The limit is ${limit}.`,
  distance: (device, { value, limit }) => `${device} travelled ${value} that day (UTC). The limit is ${limit}.`,
  temp: measuredAt('temperature of'),
  temp_bme: measuredAt('temperature (BME) of'),
  humidity: measuredAt('humidity at'),
  pressure: measuredAt('pressure at'),
  lightLevel: measuredAt('light level at'),
  ultraLevel: measuredAt('ultrasonic distance of'),
  button: (device) => `${device} reported a button press.`,
  acc: (device) => `${device} reported a drop.`,
  alertMode: (device, { alerts }) => `${device} raised an alert${alerts === undefined ? '' : `: ${alerts}`}.`,
  alarm: (device, { value }) => `${device} raised an alarm: ${value}.`,
  extAccel: measuredAt('peak force on'),
  proximity: (device, { other = 'the other device', apart }) =>
    apart === undefined ? `${device} detected ${other} by Bluetooth.` : `${device} was ${apart} from ${other}.`,
  motionStart: (device, { since }) => `${device} started moving at ${since}.`,
  motionStop: (device, { since }) => `${device} stopped at ${since}.`,
  tow: (device, { value, limit }) => `${device} moved ${value} while its ignition was off. The limit is ${limit}.`,
  offline: (device, { heardAt, after }) =>
    `${device} last reported at ${heardAt}. The trigger fires after ${after} without a report.`,
  expiresDaily: planExpires,
  expiresWeekly: planExpires,
  maintenance: (device, { task, rest }) =>
    rest === undefined
      ? `${task}: maintenance of ${device} was due.`
      : `${task}: maintenance of ${device} was due in ${rest}.`,
};

const types: Record<TriggerTypeName, { label: string; about: string }> = {
  geofence: { label: 'Geofence entry or exit', about: 'The device enters or leaves a geofence' },
  geoEntry: { label: 'Geofence entry', about: 'The device enters a geofence' },
  proximity: { label: 'Proximity', about: 'The device comes close to another device' },
  motionStart: { label: 'Starts moving', about: 'The device starts moving after a stop' },
  motionStop: { label: 'Stops moving', about: 'The device stops moving' },
  speed: { label: 'Speeding', about: 'The device exceeds a speed limit' },
  distance: { label: 'Daily distance', about: 'The device exceeds a distance in one day' },
  tow: { label: 'Towing', about: 'The device moves while its ignition is off' },
  lowBat: { label: 'Low battery', about: 'The battery falls to a threshold' },
  offline: { label: 'Offline', about: 'The device stops reporting' },
  button: { label: 'Button press', about: 'The button on the device is pressed' },
  acc: { label: 'Drop', about: 'The device is dropped' },
  alertMode: { label: 'Alert', about: 'Drop, rotation, jamming, button and more' },
  alarm: { label: 'Alarm of a tracker', about: 'SOS, power cut, door, harsh braking and more' },
  extAccel: { label: 'Strong force', about: 'The peak force exceeds a limit' },
  temp: { label: 'Temperature', about: 'Below a minimum or above a maximum' },
  temp_bme: { label: 'Temperature (BME)', about: 'Below a minimum or above a maximum' },
  humidity: { label: 'Humidity', about: 'Below a minimum or above a maximum' },
  pressure: { label: 'Pressure', about: 'Below a minimum or above a maximum' },
  lightLevel: { label: 'Light level', about: 'Below a minimum or above a maximum' },
  ultraLevel: { label: 'Ultrasonic distance', about: 'Below a minimum or above a maximum' },
  newReading: { label: 'New reading', about: 'Every reading of the device' },
  newMsg: { label: 'New message', about: 'Every message from the device' },
  newLoc: { label: 'New position', about: 'Every position of the device' },
  newWakeLoc: { label: 'New position, awake', about: 'Every position while awake or moving' },
  newAvailLoc: { label: 'New position, available', about: 'Every position in available mode' },
  expiresDaily: { label: 'Plan expires in a day', about: 'The plan expires within a day' },
  expiresWeekly: { label: 'Plan expires in a week', about: 'The plan expires within a week' },
  maintenance: { label: 'Maintenance', about: 'A maintenance task is due, or will be soon' },
};

export const triggers = {
  title: 'Triggers',
  lead: 'A trigger watches one device and notifies you when something happens.',
  add: 'New trigger',
  addFor: (device: string) => `Add a trigger for ${device}`,
  addShort: 'Add',
  searchDevices: 'Search devices',
  none: 'No triggers',
  lastFired: (when: string) => `last fired ${when}`,
  neverFired: 'never fired',
  unnamedDevice: (id: number) => `Device ${id}`,
  noDevices: 'No devices to watch yet',
  noDevicesText: 'Add a device first, then add triggers to it.',
  toMap: 'Go to the map',
  nothingFound: 'No devices found',
  gone: 'Trigger not found',
  delete: 'Delete',
  deleted: (name: string) => `“${name}” was deleted`,
  undo: 'Undo',
  seeFired: 'View notifications',
  unknownType: (type: string) => `Trigger of type ${type}`,

  newTitle: 'New trigger',
  editTitle: 'Edit trigger',
  back: 'Triggers',
  device: 'Device',
  pickDevice: 'Choose a device',
  someDevice: 'the device',
  anotherDevice: 'another device',
  when: 'Condition',
  chooseType: 'Choose what fires the trigger',
  changeType: 'Change',
  groups: {
    places: 'Places',
    movement: 'Movement',
    state: 'Battery and connection',
    alerts: 'Alerts',
    measures: 'Readings',
    data: 'All incoming data',
    plans: 'Plan',
  },
  types,
  name: 'Name',
  nameHint: 'Shown in lists and included in webhook messages. Leave it empty to use the trigger type.',
  how: 'Notification channels',
  rest: 'Options',
  ways: {
    form: 'Message format',
    forms: { plain: 'Plain JSON', envelope: 'JSON in an envelope' },
    formHints: {
      plain: 'Easy to read by any program.',
      envelope: 'The form of Amazon SNS: the message is a text inside the JSON. For receivers that expect it.',
    },
    example: 'Show an example',
    exampleMessage: 'The text of the notification',
    exampleHint: 'Made-up values. Real messages have a few more fields.',
    notSetUp: 'This channel is not set up on this server. Nothing is sent until the operator sets it up.',
  },
  muteFor: 'Mute after firing for',
  muteForHint: 'Notifications during this time are recorded but not sent. 0 means never mute.',
  units: {
    s: 's',
    min: 'min',
    h: 'h',
    percent: '%',
    kmh: 'km/h',
    mph: 'mph',
    km: 'km',
    mi: 'mi',
    m: 'm',
    ft: 'ft',
    celsius: '°C',
    fahrenheit: '°F',
    hpa: 'hPa',
    lux: 'lx',
  },

  fields: {
    zone: 'Geofence',
    anyZone: 'Any of my geofences',
    groupZone: (group: string) => `Group: ${group}`,
    goneZone: (id: number) => `Geofence ${id} (deleted)`,
    noZones: 'You have no geofences yet.',
    drawZone: 'Draw one',
    zoneType: 'Fires when the device',
    zoneTypes: { inside: 'Enters', outside: 'Leaves', cross: 'Enters or leaves' },
    limit: 'Limit',
    lasts: 'For at least',
    lastsHint: 'Shorter periods do not fire the trigger.',
    threshold: 'Battery at or below',
    days: 'Days',
    daysHint: 'Select none for every day. Days start at midnight UTC.',
    dayNames: ['Su', 'Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa'],
    min: 'Below',
    max: 'Above',
    oneOf: 'Enter at least one of the two.',
    mask: 'Alerts',
    maskHint: 'Select none for all alerts.',
    alerts: ALERTS,
    alarms: 'Alarms',
    alarmsHint: 'Select none for all alarms.',
    otherDevice: 'Other device',
    near: 'Closer than',
    towed: 'Moves more than',
    towedHint: 'Fires only for devices that report their ignition.',
    after: 'No report for',
    readingType: 'Reading type',
    readingTypeHint: 'For example temp or humidity. Leave it empty for all types.',
    nothing: 'This trigger has no settings.',
  },

  sentence: (clause: string, ways: readonly string[], muteFor: number) =>
    `When ${clause}, ${ways.length === 0 ? 'record it without notifying anyone' : allOf(ways)}${
      muteFor > 0 ? `, then mute for ${lasting(muteFor)}` : ''
    }.`,
  clauses,
  why,
  anyZone: 'any geofence',
  zonesOf: (group: string) => `a geofence in group “${group}”`,

  save: 'Save',
  create: 'Create trigger',
  cancel: 'Cancel',
  saved: 'Saved',
  created: 'Trigger created',
  needsDevice: 'Choose a device.',
  mayNotManage: 'You can only view this device. To add triggers, ask the owner for permission to manage it.',

  try: {
    title: 'Test on the last 7 days',
    lead: 'See when this trigger would have fired. Nobody is notified.',
    run: 'Run test',
    again: 'Run again',
    none: 'It would not have fired.',
    times: (count: number) => `It would have fired ${count === 1 ? 'once' : `${number(count)} times`}.`,
    perDay: (perDay: string) => `That is about ${perDay} times a day.`,
    incomplete: 'There was too much data to test the whole period, so there may be more.',
    more: (count: number) => `and ${number(count)} more`,
    stale: 'The trigger has changed since this test. Run it again.',
  },
};
