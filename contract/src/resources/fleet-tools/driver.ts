import { type Static, Type } from 'typebox';
import { create, list, operation, read, remove, update } from '../../operation.ts';
import { id, key, list as listOf, noun, text, time } from '../../schema.ts';

/** Maximum number of drivers per user, and of tags per driver. */
export const MOST_DRIVERS = 1000;
export const MOST_DRIVER_TAGS = 20;
/** A sign-on by tag ends this many hours after the last reading with that tag. */
export const SIGN_ON_HOURS = 24;
/** A sign-on by a radio tag ends this many minutes after its last sighting. */
export const SIGHTING_MINUTES = 30;
/** Reading types that contain the tag of a driver. */
export const DRIVER_READINGS = ['driver_id', 'driverUniqueId'] as const;

/** A person who drives devices of a user. */
export const driver = noun(
  'driver',
  {
    id: id(),
    name: text('Name.', { minLength: 1, maxLength: 200 }),
    phone: text('Phone number.', { maxLength: 50 }),
    note: text('Note about the driver.', { maxLength: 2000 }),
    tags: listOf(
      Type.String({ minLength: 1, maxLength: 100, title: 'driver tag' }),
      'Ids of iButtons, cards and tags that identify the driver, as trackers report them; or the Bluetooth address, serial number or IMEI of a tag that is a device of the same user and that trackers in vehicles detect. Only letters and digits count.',
      { 'x-texts': true, maxItems: MOST_DRIVER_TAGS },
    ),
    created: time('When the driver was created.', { readOnly: true }),
  },
  { required: ['name'], always: ['name', 'created'] },
);

const signOn = noun(
  'signOn',
  {
    driverId: key('Id of a driver of the owner of the device.'),
    at: time('Since when. Defaults to now; it can be earlier.'),
  },
  { required: ['driverId'], sentAs: 'sign-on' },
);

const orNull = (type: 'string' | 'integer', description: string, more: object = {}) =>
  Type.Unsafe<unknown>({ type: [type, 'null'], description, ...more });
const driverId = orNull('integer', 'Id of the driver. Null if no driver is assigned.') as ReturnType<
  typeof Type.Unsafe<number | null>
>;
const driverName = orNull('string', 'Name of the driver.') as ReturnType<typeof Type.Unsafe<string | null>>;

export const SIGN_ON_WAYS = ['tag', 'hand'] as const;

const driving = Type.Object(
  {
    driverId,
    driverName,
    since: orNull('string', 'Since when the driver is assigned.', { format: 'date-time' }) as ReturnType<
      typeof Type.Unsafe<string | null>
    >,
    by: Type.Unsafe<(typeof SIGN_ON_WAYS)[number] | null>({
      enum: [...SIGN_ON_WAYS, null],
      title: 'driver assignment method',
      description: 'How the driver was assigned: by a tag, or manually.',
    }),
  },
  { title: 'driver of a device' },
);

const shift = Type.Object(
  {
    driverId: Type.Integer({ description: 'Id of the driver.' }),
    driverName: Type.String({ description: 'Name of the driver.' }),
    start: Type.String({ format: 'date-time', description: 'When the shift began.' }),
    end: orNull('string', 'When the shift ended. Null while it lasts.', {
      format: 'date-time',
    }) as ReturnType<typeof Type.Unsafe<string | null>>,
    by: Type.Enum([...SIGN_ON_WAYS], {
      title: 'driver assignment method',
      description: 'How the driver was assigned: by a tag, or manually.',
    }),
  },
  { title: 'shift' },
);

const named = Type.Object(
  { id: Type.Integer({ description: 'Id of the driver.' }), name: Type.String({ description: 'Name.' }) },
  { title: 'named driver' },
);

/** The driver of a trip. */
export const DRIVEN_BY = {
  driverId: orNull('integer', 'Id of the driver who was assigned for most of the trip.') as ReturnType<
    typeof Type.Unsafe<number | null>
  >,
  driverName,
};

const path = '/users/{id}/drivers';
const SEEN =
  'Users who may view the device see the names of its drivers; only the owner sees phone numbers, notes and tags.';

export const driverOperations = {
  listDrivers: list(driver, path, 'self'),
  createDriver: create(driver, path, 'self', {
    description: `A user can have at most ${MOST_DRIVERS} drivers. A tag belongs to one driver of a user.`,
  }),
  getDriver: read(driver, `${path}/{fk}`, 'self'),
  updateDriver: update(driver, `${path}/{fk}`, 'self'),
  deleteDriver: remove(driver, `${path}/{fk}`, 'self', {
    description: 'Trips of the driver are kept, but show no driver.',
  }),
  listDeviceDrivers: operation('GET', '/devices/{id}/drivers', 'manage', {
    summary: 'List the drivers who can be assigned to a device',
    description: 'The drivers of the owner of the device, by name.',
    answer: Type.Array(named),
  }),
  getDeviceDriver: operation('GET', '/devices/{id}/driver', 'view', {
    summary: 'Get who drives a device now',
    description: SEEN,
    answer: driving,
  }),
  signOnDriver: operation('POST', '/devices/{id}/driver', 'manage', {
    summary: 'Assign a driver to a device',
    description: `The shift of the previous driver ends. Readings of type ${DRIVER_READINGS.map((type) => `\`${type}\``).join(' and ')} sign the driver on whose tag they name; such a sign-on ends ${SIGN_ON_HOURS} hours after the last of them, a manual one when another driver signs on or the driver is signed off. A tag that the device receives by radio signs its driver on until it was not received for ${SIGHTING_MINUTES} minutes; of several, the first.`,
    body: { noun: signOn, mode: 'create' },
    answer: driving,
  }),
  signOffDriver: operation('DELETE', '/devices/{id}/driver', 'manage', {
    summary: 'End the shift of the driver of a device',
    query: { at: time('When the shift ended. Defaults to now.') },
  }),
  listShifts: operation('GET', '/devices/{id}/shifts', 'view', {
    summary: 'List who drove a device when',
    description: `The shifts that overlap the range, oldest first. ${SEEN}`,
    query: {
      from: time('Start of the range. Defaults to 90 days before its end.'),
      to: time('End of the range. Defaults to now.'),
    },
    answer: Type.Array(shift),
  }),
};

export type ShownShift = Static<typeof shift>;
export type DeviceDriver = Static<typeof driving>;
