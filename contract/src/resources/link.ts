import { type Static, Type } from 'typebox';
import { count, create, list, operation, read, remove, update } from '../operation.ts';
import { flag, id, integer, key, list as listOf, noun, place, text, time } from '../schema.ts';

/** At most this many links that have not ended per device, and per group. */
export const MOST_LINKS = 50;
/** At most this many people look at one link at once. */
export const MOST_VIEWERS = 100;
/** A link lasts at most this many days. */
export const MOST_LINK_DAYS = 90;
/** The page of a group shows at most so many devices. */
export const MOST_SHOWN_DEVICES = 500;
/** How often the page of a link asks where the device is, in seconds. */
export const LINK_PACE_S = 5;
/** How much of its way a link shows, in minutes. */
export const TRAIL_MINUTES = 60;
/** The address of the page is this, then the handle. The secret stands after `#`, which browsers never send. */
export const LINK_PATH = '/l/';

/** Names a site by scheme, host and port, and nothing that could mean more to a browser. */
export const ORIGIN = '^https?://[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::[0-9]{1,5})?$';

/** What links of devices and of groups have alike. */
export const linkFields = {
  handle: text('Names the link in its address. Of no use without its secret.', { readOnly: true }),
  expiresAt: time(`When it ends, at most ${MOST_LINK_DAYS} days from now. Defaults to a day from now.`),
  trail: flag(`Whether the page also shows the way of the last ${TRAIL_MINUTES} minutes.`, { default: false }),
  destination: place('Where it is expected: the page tells how far away that is, as the crow flies.'),
  destinationName: text('What the page calls the destination.', { maxLength: 100 }),
  origins: listOf(
    Type.String({ maxLength: 270, pattern: ORIGIN, title: 'origin' }),
    'Sites that may show the page in a frame, as `https://www.example.com`. None if absent.',
    { 'x-texts': true, maxItems: 10 },
  ),
  views: integer('How often the page was opened.', { readOnly: true }),
  lastViewedAt: time('When it was last opened.', { readOnly: true }),
  created: time('When it was made.', { readOnly: true }),
};
export const LINK_ALWAYS = ['userId', 'handle', 'expiresAt', 'trail', 'views', 'created'] as const;
/** Shown only when a link is made. */
export const linkUrl = text(
  'Address of the page, with the secret after `#`. It is shown this once. Without the host where the operator has not set the public address of the server.',
  { readOnly: true },
);

const fields = {
  id: id(),
  deviceId: key('Id of the device that it shows.', { readOnly: true }),
  userId: key('Id of the user who made it. It ends when they may no longer manage the device.', { readOnly: true }),
  name: text('What the page calls the device. Its own name if absent.', { maxLength: 100 }),
  ...linkFields,
};
const rules = { always: ['deviceId', ...LINK_ALWAYS] } as const;

/** A public page of one device for a time. */
export const link = noun('link', fields, rules);

const newLink = noun(
  'link',
  { ...fields, url: linkUrl },
  { ...rules, always: [...rules.always, 'url'], shownAs: 'link with secret' },
);

const look = noun(
  'look',
  {
    handle: text('Handle of the link.', { minLength: 1, maxLength: 64 }),
    secret: text('Secret of the link.', { minLength: 1, maxLength: 128 }),
    viewing: text('`viewing` of the answer before. Absent when the page is opened, which is counted.', {
      maxLength: 64,
    }),
  },
  { required: ['handle', 'secret'], sentAs: 'look at a link' },
);

const orNull = <T extends ReturnType<typeof Type.Number> | ReturnType<typeof Type.String>>(schema: T) =>
  Type.Union([schema, Type.Null()], { description: (schema as { description?: string }).description });
const coordinates = {
  lat: Type.Number({ description: 'Latitude in degrees.' }),
  lng: Type.Number({ description: 'Longitude in degrees.' }),
};

const position = Type.Object(
  {
    ...coordinates,
    timestamp: Type.String({ format: 'date-time', description: 'Time of the position.' }),
    speed: orNull(Type.Number({ description: 'Speed in km/h.' })),
  },
  { title: 'shown position' },
);

const shownDevice = Type.Object(
  {
    name: orNull(Type.String({ description: 'Name.' })),
    position: Type.Union([position, Type.Null()], { description: 'Last known position. Null if unknown.' }),
    trail: Type.Array(
      Type.Object(
        { ...coordinates, timestamp: Type.String({ format: 'date-time', description: 'When it was there.' }) },
        { title: 'trail position' },
      ),
      { description: `Its way in the last ${TRAIL_MINUTES} minutes, oldest first. Empty without \`trail\`.` },
    ),
  },
  { title: 'shown device' },
);

const shownLink = Type.Object(
  {
    viewing: Type.String({ description: 'Send it with the next look, so that it is not counted again.' }),
    now: Type.String({ format: 'date-time', description: 'Time of the server.' }),
    expiresAt: Type.String({ format: 'date-time', description: 'When the link ends.' }),
    name: orNull(
      Type.String({ description: 'What the page is called: the name of the link, else of its device or group.' }),
    ),
    isOfGroup: Type.Boolean({ description: 'Whether it shows a group of devices.' }),
    devices: Type.Array(shownDevice, {
      description: `What it shows: a device, or those of a group and the groups below it, at most ${MOST_SHOWN_DEVICES}.`,
    }),
    more: Type.Integer({ description: 'How many devices of the group are not shown, since there are too many.' }),
    destination: Type.Union(
      [
        Type.Object(
          { ...coordinates, name: orNull(Type.String({ description: 'Name.' })) },
          { title: 'link destination' },
        ),
        Type.Null(),
      ],
      { description: 'Where the device is expected.' },
    ),
  },
  { title: 'shown link' },
);

const links = '/devices/{id}/links';

export const linkOperations = {
  listLinks: list(link, links, 'manage', {
    summary: "List a device's links",
    description: 'The owner of the device and admins see all links, other users only their own.',
  }),
  countLinks: count(link, links, 'manage', { summary: "Count a device's links" }),
  createLink: create(newLink, links, 'manage', {
    summary: 'Make a link to a public page of a device',
    description: `Whoever has the link sees the name, position, speed and time of the device until it ends, and nothing else. A device can have at most ${MOST_LINKS} links that have not ended. The response contains the secret, which is not stored.`,
  }),
  getLink: read(link, `${links}/{fk}`, 'manage'),
  updateLink: update(link, `${links}/{fk}`, 'manage', {
    description: 'Changes only the fields that are sent. The address stays the same.',
  }),
  deleteLink: remove(link, `${links}/{fk}`, 'manage', {
    summary: 'Revoke a link',
    description: 'Nobody sees anything by it any more.',
  }),
  listUserLinks: list(link, '/users/{id}/links', 'self', {
    summary: "List a user's links",
    description: 'Those that the user made, for all devices.',
  }),
  lookAtLink: operation('POST', '/links/look', 'anyone', {
    summary: 'See what a link shows',
    description: `What the page of a link asks every ${LINK_PACE_S} seconds. A link that has ended, was revoked or never existed is refused with 403, whichever it is. At most ${MOST_VIEWERS} people look at a link at once; others get 429.`,
    body: { noun: look, mode: 'create' },
    answer: shownLink,
    refuses: [403],
  }),
};

export type ShownDevice = Static<typeof shownDevice>;
export type ShownLink = Static<typeof shownLink>;
