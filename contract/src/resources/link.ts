import { type Static, Type } from 'typebox';
import { count, create, list, operation, read, remove, SHOWN_ONCE, update } from '../operation.ts';
import { flag, id, integer, key, list as listOf, noun, place, text, time } from '../schema.ts';

/** Maximum number of active links per device, and per group. */
export const MOST_LINKS = 50;
/** Maximum number of simultaneous viewers of a link. */
export const MOST_VIEWERS = 100;
/** Maximum lifetime of a link in days. */
export const MOST_LINK_DAYS = 90;
/** Maximum number of devices on the page of a group. */
export const MOST_SHOWN_DEVICES = 500;
/** How often the page of a link requests the position, in seconds. */
export const LINK_PACE_S = 5;
/** Length of the trail that a link shows, in minutes. */
export const TRAIL_MINUTES = 60;
/** The address of the page is this path and the handle. The secret follows `#`, which browsers never send. */
export const LINK_PATH = '/l/';

/** A site as scheme, host and port, without anything that has another meaning for a browser. */
export const ORIGIN = '^https?://[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::[0-9]{1,5})?$';

/** Common fields of links of devices and of groups. */
export const linkFields = {
  handle: text('Identifies the link in its address. Has no effect without its secret.', { readOnly: true }),
  expiresAt: time(`When it ends, at most ${MOST_LINK_DAYS} days from now. Defaults to a day from now.`),
  trail: flag(`Whether the page also shows the path of the last ${TRAIL_MINUTES} minutes.`, { default: false }),
  destination: place('Where it is expected: the page shows the distance and, if known, the travel time to it.'),
  destinationName: text('Name of the destination on the page.', { maxLength: 100 }),
  origins: listOf(
    Type.String({ maxLength: 270, pattern: ORIGIN, title: 'origin' }),
    'Sites that may show the page in a frame, as `https://www.example.com`. None if absent.',
    { 'x-texts': true, maxItems: 10 },
  ),
  views: integer('How often the page was opened.', { readOnly: true }),
  lastViewedAt: time('When it was last opened.', { readOnly: true }),
  created: time('When it was created.', { readOnly: true }),
};
export const LINK_ALWAYS = ['userId', 'handle', 'expiresAt', 'trail', 'views', 'created'] as const;
/** Returned only when a link is created. */
export const linkUrl = text(
  'Address of the page, with the secret after `#`. It is shown only once. Without the host if the operator has not set the public address of the server.',
  { readOnly: true, ...SHOWN_ONCE },
);

const fields = {
  id: id(),
  deviceId: key('Id of the device that it shows.', { readOnly: true }),
  userId: key('Id of the user who created it. It ends when they may no longer manage the device.', { readOnly: true }),
  name: text('Name of the device on the page. Its own name if absent.', { maxLength: 100 }),
  ...linkFields,
};
const rules = { always: ['deviceId', ...LINK_ALWAYS] } as const;

/** A public page of one device, valid for a limited time. */
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
    viewing: text('`viewing` of the previous response. Absent when the page is opened, which is counted.', {
      maxLength: 64,
    }),
  },
  { required: ['handle', 'secret'], sentAs: 'link credentials' },
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
      { description: `Its path in the last ${TRAIL_MINUTES} minutes, oldest first. Empty without \`trail\`.` },
    ),
    route: Type.Union(
      [
        Type.Object(
          {
            distance: Type.Integer({ description: 'Distance in metres.' }),
            duration: Type.Integer({ description: 'Travel time in seconds, from the last known position.' }),
          },
          { title: 'route' },
        ),
        Type.Null(),
      ],
      {
        description:
          'The route to the destination by road. Null without a destination or a routing service, if there is no road, and while the route is being computed.',
      },
    ),
  },
  { title: 'shown device' },
);

const shownLink = Type.Object(
  {
    viewing: Type.String({ description: 'Send it with the next request, so that it is not counted again.' }),
    now: Type.String({ format: 'date-time', description: 'Time of the server.' }),
    expiresAt: Type.String({ format: 'date-time', description: 'When the link ends.' }),
    name: orNull(Type.String({ description: 'Title of the page: the name of the link, else of its device or group.' })),
    isOfGroup: Type.Boolean({ description: 'Whether it shows a group of devices.' }),
    devices: Type.Array(shownDevice, {
      description: `What it shows: a device, or the devices of a group and its subgroups, at most ${MOST_SHOWN_DEVICES}.`,
    }),
    more: Type.Integer({ description: 'How many devices of the group are not shown because there are too many.' }),
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
    summary: 'Create a link to a public page of a device',
    description: `Anyone with the link sees the name, position, speed and time of the device until the link ends, and nothing else. A device can have at most ${MOST_LINKS} links that have not ended. The response contains the secret, which is not stored.`,
  }),
  getLink: read(link, `${links}/{fk}`, 'manage'),
  updateLink: update(link, `${links}/{fk}`, 'manage', {
    description: 'Changes only the fields that are sent. The address stays the same.',
  }),
  deleteLink: remove(link, `${links}/{fk}`, 'manage', {
    summary: 'Revoke a link',
    description: 'The link stops working.',
  }),
  listUserLinks: list(link, '/users/{id}/links', 'self', {
    summary: "List a user's links",
    description: 'The links of the user, for all devices.',
  }),
  openLink: operation('POST', '/links/open', 'anyone', {
    summary: 'Get the content of a link',
    description: `The page of a link requests it every ${LINK_PACE_S} seconds. A link that has ended, was revoked or never existed is rejected with 403. At most ${MOST_VIEWERS} people can view a link at the same time; others get 429.`,
    body: { noun: look, mode: 'create' },
    answer: shownLink,
    refuses: [403],
  }),
};

export type ShownDevice = Static<typeof shownDevice>;
export type ShownLink = Static<typeof shownLink>;
