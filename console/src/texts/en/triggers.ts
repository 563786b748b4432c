import type { TriggerTypeName } from '@trackway/contract/triggers.ts';

const plural = (count: number, one: string, many: string) => `${count.toLocaleString()} ${count === 1 ? one : many}`;

/** "2 minutes", "1 hour 30 minutes": durations inside a sentence. */
function lasting(seconds: number): string {
  if (seconds < 60) return plural(Math.round(seconds), 'second', 'seconds');
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return plural(minutes, 'minute', 'minutes');
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours < 24) return plural(hours, 'hour', 'hours') + (rest > 0 ? ` ${plural(rest, 'minute', 'minutes')}` : '');
  return plural(Math.round(hours / 24), 'day', 'days');
}

const DAYS = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays'];

/** What a sentence about a trigger is made of; quantities come in the viewer's units. */
export interface ClauseParts {
  readonly zone: string;
  readonly zoneType: 'inside' | 'outside' | 'cross';
  /** Seconds that its one zone asks to stay or be away. */
  readonly enterAfter: number;
  readonly exitAfter: number;
  readonly limit: string;
  readonly min: string | undefined;
  readonly max: string | undefined;
  readonly threshold: number;
  readonly lasts: number;
  readonly after: number;
  readonly days: readonly number[];
  readonly readingType: string;
  readonly other: string;
  readonly near: string;
  readonly mask: number | undefined;
}

const held = (seconds: number) => (seconds > 0 ? ` for ${lasting(seconds)}` : '');
const measured = (what: string, { min, max }: ClauseParts) => {
  if (min !== undefined && max !== undefined) return `${what} falls below ${min} or rises above ${max}`;
  if (min !== undefined) return `${what} falls below ${min}`;
  return max === undefined ? `${what} leaves its bounds` : `${what} rises above ${max}`;
};

/** Each type as the middle of a sentence: "When Van 3 … , e-mail me". */
const clauses: Record<TriggerTypeName, (device: string, parts: ClauseParts) => string> = {
  newLoc: (device) => `${device} reports a position`,
  newWakeLoc: (device) => `${device} reports a position while awake or moving`,
  newAvailLoc: (device) => `${device} reports a position in available mode`,
  newReading: (device, { readingType }) =>
    readingType ? `${device} reports a reading of ${readingType}` : `${device} reports any reading`,
  newMsg: (device) => `${device} sends a message`,
  geofence: (device, { zone, zoneType, enterAfter, exitAfter }) =>
    ({
      inside: `${device} enters ${zone}${held(enterAfter)}`,
      outside: `${device} leaves ${zone}${held(exitAfter)}`,
      cross: `${device} enters or leaves ${zone}`,
    })[zoneType],
  geoEntry: (device, { zone, enterAfter }) => `${device} enters ${zone}${held(enterAfter)}`,
  lowBat: (device, { threshold }) => `the battery of ${device} is at ${threshold} % or less`,
  speed: (device, { limit, lasts }) => `${device} goes faster than ${limit}${held(lasts)}`,
  distance: (device, { limit, days }) =>
    `${device} goes further than ${limit} in a day${days.length > 0 ? ` on ${list(days.map((day) => DAYS[day]!))}` : ''}`,
  temp: (device, parts) => measured(`the temperature of ${device}`, parts),
  temp_bme: (device, parts) => measured(`the temperature (BME) of ${device}`, parts),
  humidity: (device, parts) => measured(`the humidity at ${device}`, parts),
  pressure: (device, parts) => measured(`the pressure at ${device}`, parts),
  lightLevel: (device, parts) => measured(`the light at ${device}`, parts),
  ultraLevel: (device, parts) => measured(`the ultrasonic distance of ${device}`, parts),
  button: (device) => `the button of ${device} is pressed`,
  acc: (device) => `${device} is dropped`,
  alertMode: (device, { mask }) =>
    mask === undefined ? `${device} raises an alert` : `${device} raises one of the chosen alerts`,
  extAccel: (device, { limit }) => `${device} feels a force above ${limit}`,
  proximity: (device, { other, near }) => `${device} comes within ${near} of ${other}`,
  motionStart: (device, { lasts }) => `${device} starts moving${lasts > 0 ? ` and keeps on${held(lasts)}` : ''}`,
  motionStop: (device, { lasts }) => `${device} stops moving${held(lasts)}`,
  offline: (device, { after }) => `${device} is not heard for ${lasting(after)}`,
  expiresDaily: (device) => `the plan of ${device} ends within a day`,
  expiresWeekly: (device) => `the plan of ${device} ends within a week`,
};

function list(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

const types: Record<TriggerTypeName, { label: string; about: string }> = {
  geofence: { label: 'Comes or goes', about: 'Enters or leaves a geofence' },
  geoEntry: { label: 'Comes', about: 'Enters a geofence' },
  proximity: { label: 'Near another', about: 'Comes close to another device' },
  motionStart: { label: 'Starts moving', about: 'After it stood still' },
  motionStop: { label: 'Stops moving', about: 'Stands still for a while' },
  speed: { label: 'Too fast', about: 'Faster than a limit' },
  distance: { label: 'Too far', about: 'Further than a limit in a day' },
  lowBat: { label: 'Low battery', about: 'Battery at or below a share' },
  offline: { label: 'Silent', about: 'Nothing heard for a while' },
  button: { label: 'Button', about: 'Its button was pressed' },
  acc: { label: 'Dropped', about: 'It fell' },
  alertMode: { label: 'Any alert', about: 'Drop, rotation, jamming, button …' },
  extAccel: { label: 'Strong force', about: 'Acceleration above a limit' },
  temp: { label: 'Temperature', about: 'Outside of bounds' },
  temp_bme: { label: 'Temperature (BME)', about: 'Outside of bounds' },
  humidity: { label: 'Humidity', about: 'Outside of bounds' },
  pressure: { label: 'Pressure', about: 'Outside of bounds' },
  lightLevel: { label: 'Light', about: 'Outside of bounds' },
  ultraLevel: { label: 'Distance sensor', about: 'Outside of bounds' },
  newReading: { label: 'New reading', about: 'Each measurement that comes' },
  newMsg: { label: 'New message', about: 'Each message from the device' },
  newLoc: { label: 'New position', about: 'Each position that comes' },
  newWakeLoc: { label: 'New position, awake', about: 'While awake or moving' },
  newAvailLoc: { label: 'New position, available', about: 'In available mode' },
  expiresDaily: { label: 'Plan ends in a day', about: 'Its plan ends within a day' },
  expiresWeekly: { label: 'Plan ends in a week', about: 'Its plan ends within a week' },
};

export const triggers = {
  title: 'Triggers',
  lead: 'A trigger watches one device and tells you when something happens.',
  add: 'New trigger',
  addFor: (device: string) => `Add a trigger for ${device}`,
  addShort: 'Add',
  searchDevices: 'Search devices',
  none: 'No triggers',
  silent: 'Tells nobody',
  lastFired: (when: string) => `last fired ${when}`,
  neverFired: 'never fired',
  unnamedDevice: (id: number) => `Device ${id}`,
  noDevices: 'No device to watch yet',
  noDevicesText: 'Add a device first; then say what you want to be told about it.',
  toMap: 'To the map',
  nothingFound: 'No device fits',
  gone: 'This trigger is not there any more',
  delete: 'Delete',
  deleted: (name: string) => `“${name}” was deleted`,
  undo: 'Undo',
  seeFired: 'What it fired',
  unknownType: (type: string) => `A trigger of the type ${type}`,

  newTitle: 'New trigger',
  editTitle: 'Edit trigger',
  back: 'Triggers',
  device: 'Device',
  deviceHint: 'Which device to watch.',
  pickDevice: 'Choose a device',
  someDevice: 'the device',
  when: 'When',
  chooseType: 'What should happen?',
  changeType: 'Change',
  groups: {
    places: 'Places',
    movement: 'Movement',
    state: 'Battery and contact',
    alerts: 'Alerts',
    measures: 'Measurements',
    data: 'Everything that comes',
    plans: 'Plan',
  },
  types,
  name: 'Name',
  nameHint: 'Shown in the list and in messages to machines. Empty: the kind of trigger.',
  how: 'Tell by',
  rest: 'And then',
  ways: {
    notSetUp: 'Not set up on this server yet: nothing will be sent this way until whoever runs it does.',
  },
  muteFor: 'Then stay silent for',
  muteForHint: 'What happens meanwhile is recorded, but not sent. 0: never silent.',
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
  },

  fields: {
    zone: 'Geofence',
    anyZone: 'Any geofence of mine',
    groupZone: (group: string) => `Group: ${group}`,
    goneZone: (id: number) => `Geofence ${id} (gone)`,
    noZones: 'You have no geofence yet.',
    drawZone: 'Draw one',
    zoneType: 'When it',
    zoneTypes: { inside: 'Comes', outside: 'Goes', cross: 'Both' },
    limit: 'Limit',
    lasts: 'For at least',
    lastsHint: 'Shorter spells do not count.',
    threshold: 'Battery at or below',
    days: 'On these days',
    daysHint: 'None chosen: every day. Days are counted in UTC.',
    dayNames: ['Su', 'Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa'],
    min: 'Below',
    max: 'Above',
    oneOf: 'Give at least one of the two.',
    mask: 'Which alerts',
    maskHint: 'None chosen: all of them.',
    alerts: ['Drop', 'Rotation', 'Jamming', 'Button', 'Generic', 'Ignition'],
    otherDevice: 'The other device',
    near: 'Closer than',
    after: 'Not heard for',
    readingType: 'Kind of reading',
    readingTypeHint: 'temp, humidity … Empty: every kind.',
    nothing: 'Nothing to set for this one.',
  },

  sentence: (clause: string, ways: readonly string[], muteFor: number) =>
    `When ${clause}, ${ways.length === 0 ? 'record it without telling anyone' : list(ways)}${
      muteFor > 0 ? `, then stay silent for ${lasting(muteFor)}` : ''
    }.`,
  clauses,
  anyZone: 'any geofence',
  zonesOf: (group: string) => `a geofence of “${group}”`,

  save: 'Save',
  create: 'Create trigger',
  cancel: 'Cancel',
  saved: 'Saved',
  created: 'The trigger watches from now on',
  needsDevice: 'Choose a device.',
  mayNotManage: 'This device is shared with you to look at only: ask its owner for more rights to add triggers.',

  try: {
    title: 'Try it on the last 7 days',
    lead: 'What would have fired, had it been there all the time. Nobody is told.',
    run: 'Try it',
    again: 'Try again',
    none: 'It would not have fired at all.',
    times: (count: number) => `It would have fired ${count === 1 ? 'once' : `${count.toLocaleString()} times`}.`,
    perDay: (perDay: string) => `That is about ${perDay} a day.`,
    incomplete: 'There is more: not all of the time was looked at.',
    more: (count: number) => `and ${count.toLocaleString()} more`,
    stale: 'You changed the trigger since: try again.',
  },
};
