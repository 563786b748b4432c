import { type Static, Type } from 'typebox';
import { create, list, operation, read, remove, update } from '../../operation.ts';
import { id, key, list as listOf, noun, text, time } from '../../schema.ts';

/** At most this many drivers per user, and tags per driver. */
export const MOST_DRIVERS = 1000;
export const MOST_DRIVER_TAGS = 20;
/** A sign-on by tag ends this many hours after the last reading that says so. */
export const SIGN_ON_HOURS = 24;
/** A sign-on by a tag that is heard by radio ends this many minutes after it was last heard. */
export const HEARD_MINUTES = 30;
/** The types of readings that name the tag of a driver. */
export const DRIVER_READINGS = ['driver_id', 'driverUniqueId'] as const;

/** Somebody who drives devices of a user. */
export const driver = noun(
  'driver',
  {
    id: id(),
    name: text('Name.', { minLength: 1, maxLength: 200 }),
    phone: text('Phone number.', { maxLength: 50 }),
    note: text('More about the driver.', { maxLength: 2000 }),
    tags: listOf(
      Type.String({ minLength: 1, maxLength: 100, title: 'driver tag' }),
      'Ids of iButtons, cards and tags by which the driver signs on, as trackers report them; or the Bluetooth address, serial number or IMEI of a tag, which is a device of the same user, that vehicles hear as gateways do. Only letters and digits count.',
      { 'x-texts': true, maxItems: MOST_DRIVER_TAGS },
    ),
    created: time('When the driver was created.', { readOnly: true }),
  },
  { required: ['name'], always: ['name', 'created'] },
);

const signOn = noun(
  'signOn',
  {
    driverId: key('Id of the driver, of those of the owner of the device.'),
    at: time('Since when. Defaults to now; it can be earlier.'),
  },
  { required: ['driverId'], sentAs: 'sign-on' },
);

const orNull = (type: 'string' | 'integer', description: string, more: object = {}) =>
  Type.Unsafe<unknown>({ type: [type, 'null'], description, ...more });
const driverId = orNull('integer', 'Id of the driver. Null if nobody is signed on.') as ReturnType<
  typeof Type.Unsafe<number | null>
>;
const driverName = orNull('string', 'Name of the driver.') as ReturnType<typeof Type.Unsafe<string | null>>;

export const SIGN_ON_WAYS = ['tag', 'hand'] as const;

const driving = Type.Object(
  {
    driverId,
    driverName,
    since: orNull('string', 'Since when the driver is signed on.', { format: 'date-time' }) as ReturnType<
      typeof Type.Unsafe<string | null>
    >,
    by: Type.Unsafe<(typeof SIGN_ON_WAYS)[number] | null>({
      enum: [...SIGN_ON_WAYS, null],
      title: 'way of signing on',
      description: 'How the driver signed on: by a tag, or by hand.',
    }),
  },
  { title: 'driver of a device' },
);

const shift = Type.Object(
  {
    driverId: Type.Integer({ description: 'Id of the driver.' }),
    driverName: Type.String({ description: 'Name of the driver.' }),
    start: Type.String({ format: 'date-time', description: 'When the driver signed on.' }),
    end: orNull('string', 'When the driver signed off. Null while signed on.', {
      format: 'date-time',
    }) as ReturnType<typeof Type.Unsafe<string | null>>,
    by: Type.Enum([...SIGN_ON_WAYS], {
      title: 'way of signing on',
      description: 'How the driver signed on: by a tag, or by hand.',
    }),
  },
  { title: 'shift' },
);

const named = Type.Object(
  { id: Type.Integer({ description: 'Id of the driver.' }), name: Type.String({ description: 'Name.' }) },
  { title: 'named driver' },
);

/** What a trip says of its driver. */
export const DRIVEN_BY = {
  driverId: orNull('integer', 'Id of the driver who was signed on for most of the trip.') as ReturnType<
    typeof Type.Unsafe<number | null>
  >,
  driverName,
};

const path = '/users/{id}/drivers';
const SEEN =
  'Whoever may view the device sees the names of its drivers; phone numbers, notes and tags are for the owner alone.';

export const driverOperations = {
  listDrivers: list(driver, path, 'self'),
  createDriver: create(driver, path, 'self', {
    description: `A user can have at most ${MOST_DRIVERS} drivers. A tag belongs to one driver of a user.`,
  }),
  getDriver: read(driver, `${path}/{fk}`, 'self'),
  updateDriver: update(driver, `${path}/{fk}`, 'self'),
  deleteDriver: remove(driver, `${path}/{fk}`, 'self', {
    description: 'Trips that the driver made are then without a driver.',
  }),
  listDeviceDrivers: operation('GET', '/devices/{id}/drivers', 'manage', {
    summary: 'List the drivers who can be signed on to a device',
    description: 'The drivers of the owner of the device, by name.',
    answer: Type.Array(named),
  }),
  getDeviceDriver: operation('GET', '/devices/{id}/driver', 'view', {
    summary: 'Get who drives a device now',
    description: SEEN,
    answer: driving,
  }),
  signOnDriver: operation('POST', '/devices/{id}/driver', 'manage', {
    summary: 'Sign a driver on to a device',
    description: `The driver who was signed on before is signed off. Readings of type ${DRIVER_READINGS.map((type) => `\`${type}\``).join(' and ')} sign the driver on whose tag they name; such a sign-on ends ${SIGN_ON_HOURS} hours after the last of them, one by hand when somebody else signs on or the driver is signed off. A tag that the device hears by radio signs its driver on until it was not heard for ${HEARD_MINUTES} minutes; of several, the first.`,
    body: { noun: signOn, mode: 'create' },
    answer: driving,
  }),
  signOffDriver: operation('DELETE', '/devices/{id}/driver', 'manage', {
    summary: 'Sign the driver of a device off',
    query: { at: time('Since when nobody is signed on. Defaults to now.') },
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
