import { count, create, list, read, remove, update } from '../../operation.ts';
import { id, key, noun, text } from '../../schema.ts';
import { LINK_ALWAYS, linkFields, linkUrl, MOST_LINKS, MOST_SHOWN_DEVICES } from '../link.ts';

const fields = {
  id: id(),
  groupId: key('Id of the group that it shows, with its subgroups. It cannot be changed.'),
  userId: key('Id of the user who created it. It ends when they may no longer manage the group.', { readOnly: true }),
  name: text('Name of the group on the page. Its own name if absent.', { maxLength: 100 }),
  ...linkFields,
};
const rules = { always: ['groupId', ...LINK_ALWAYS] } as const;

/** A public page of a group of devices, valid for a limited time. */
export const groupLink = noun('groupLink', fields, rules);

const newGroupLink = noun(
  'groupLink',
  { ...fields, url: linkUrl },
  { ...rules, required: ['groupId'], always: [...rules.always, 'url'], shownAs: 'group link with secret' },
);

const path = '/users/{id}/groupLinks';

export const groupLinkOperations = {
  listGroupLinks: list(groupLink, path, 'self', {
    summary: "List a user's links to groups",
    description: 'The links of the user, and links of others to groups of the user.',
  }),
  countGroupLinks: count(groupLink, path, 'self', { summary: "Count a user's links to groups" }),
  createGroupLink: create(newGroupLink, path, 'self', {
    summary: 'Create a link to a public page of a group',
    description: `Anyone with the link sees the name, position, speed and time of each device in the group and its subgroups until the link ends, and nothing else. Changes of the group apply immediately, and only devices are shown that the creator of the link may still manage; at most ${MOST_SHOWN_DEVICES}. A group can have at most ${MOST_LINKS} links that have not ended. The response contains the secret, which is not stored.`,
  }),
  getGroupLink: read(groupLink, `${path}/{fk}`, 'self'),
  updateGroupLink: update(groupLink, `${path}/{fk}`, 'self', {
    description: 'Changes only the fields that are sent. The address stays the same.',
  }),
  deleteGroupLink: remove(groupLink, `${path}/{fk}`, 'self', {
    summary: 'Revoke a link to a group',
    description: 'The link stops working.',
  }),
};
