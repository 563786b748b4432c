/**
 * The dimension *time* of the permissions: what becomes of a thing that a user made on another's device when their right
 * on it ends. Written by hand, like the table of expectations: a way without a line, or a thing without a cell, does not
 * compile. Whoever adds a way in which rights end, or a thing that outlives the call that made it, adds it here.
 */

export const WAYS = [
  'share ended by the owner',
  'share left by its holder',
  'share changed to view',
  'share of a group ended',
  'share of a group changed to view',
  'device taken out of a shared group',
  'shared group deleted',
  'user demoted',
  'user deleted',
  'device deleted',
  'device claimed by another',
] as const;
export type Way = (typeof WAYS)[number];

export const THINGS = [
  'trigger',
  'rule',
  'forwarder',
  'link',
  'group link',
  'proximity trigger',
  'safe zone',
  'push subscription',
  'personal token',
  'MQTT credentials',
  'live stream',
  'gateway reading',
  'export',
  'report',
  'held notification',
  'queued digest',
  'queued delivery',
  'queued command',
  'tracker command',
] as const;
export type Thing = (typeof THINGS)[number];

export type Cell =
  /** Nothing reaches the former holder, or the device by them, after the moment the right ended. */
  | 'ends'
  /** It goes on, for the reason given: the right that is left covers it. */
  | { readonly goesOn: string }
  /** The thing cannot be there, for the reason given. */
  | { readonly none: string };

const viewer = (what: string): Cell => ({ goesOn: `whoever may view a device may ${what}` });

const NO_GROUP: Cell = { none: 'a rule or a link for a group needs a share of the group' };

const EVERYTHING_ENDS = {
  trigger: 'ends',
  rule: NO_GROUP,
  forwarder: 'ends',
  link: 'ends',
  'group link': NO_GROUP,
  'proximity trigger': 'ends',
  'safe zone': 'ends',
  'push subscription': 'ends',
  'personal token': 'ends',
  'MQTT credentials': 'ends',
  'live stream': 'ends',
  'gateway reading': 'ends',
  export: 'ends',
  report: 'ends',
  'held notification': 'ends',
  'queued digest': 'ends',
  'queued delivery': 'ends',
  'queued command': 'ends',
  'tracker command': 'ends',
} as const;

const ALL_OF_A_GROUP_ENDS = { ...EVERYTHING_ENDS, rule: 'ends', 'group link': 'ends' } as const;

const ONLY_VIEWING = {
  trigger: 'ends',
  rule: NO_GROUP,
  forwarder: 'ends',
  link: 'ends',
  'group link': NO_GROUP,
  'proximity trigger': viewer('have a trigger on a device of their own that is about it'),
  'safe zone': 'ends',
  'push subscription': 'ends',
  'personal token': viewer('read it'),
  'MQTT credentials': viewer('listen to it'),
  'live stream': viewer('follow it'),
  'gateway reading': 'ends',
  export: viewer('export its positions'),
  report: viewer('have it in a report'),
  'held notification': 'ends',
  'queued digest': 'ends',
  'queued delivery': 'ends',
  'queued command': 'ends',
  'tracker command': 'ends',
} as const;

export const ENDED_RIGHTS: Readonly<Record<Way, Readonly<Record<Thing, Cell>>>> = {
  'share ended by the owner': EVERYTHING_ENDS,
  'share left by its holder': EVERYTHING_ENDS,
  'share changed to view': ONLY_VIEWING,
  'share of a group ended': ALL_OF_A_GROUP_ENDS,
  'share of a group changed to view': { ...ONLY_VIEWING, rule: 'ends', 'group link': 'ends' },
  'device taken out of a shared group': ALL_OF_A_GROUP_ENDS,
  'shared group deleted': ALL_OF_A_GROUP_ENDS,
  'user demoted': {
    ...EVERYTHING_ENDS,
    'MQTT credentials': { none: 'admins too listen only to devices that are theirs or shared with them' },
  },
  'user deleted': EVERYTHING_ENDS,
  'device deleted': {
    ...EVERYTHING_ENDS,
    'safe zone': { none: 'a device that is deleted is not answered, and gets its zone back when it is restored' },
  },
  'device claimed by another': {
    ...EVERYTHING_ENDS,
    'gateway reading': { none: 'readings of others no longer name a device that was claimed' },
  },
};
