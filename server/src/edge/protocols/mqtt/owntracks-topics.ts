import type { Friend } from '../../../reports.ts';
import { owntracks } from '../owntracks.ts';
import { friendMessages } from '../owntracks-answer.ts';
import { encrypted } from '../owntracks-secret.ts';
import type { DecodedTopic, TopicMessage, TopicPublication, TopicSource } from './source.ts';

/** `owntracks/<user>/<device>`, and the topics below it. Topics of commands and the like are not subscribed to. */
export const owntracksTopics: TopicSource = {
  name: 'owntracks',
  prefix: 'owntracks',
  filters: ['+/+', '+/+/event', '+/+/beacon', '+/+/step', '+/+/waypoint', '+/+/waypoints'],
  decode,
  friends,
};

/** Friends are published as devices of the same user with this name prefix. */
const FRIEND = 'trackway-';

/** Anyone with access to the topic can read it, so it is encrypted for the phone. */
function friends(list: readonly Friend[], [user = '']: readonly string[], secret: string): TopicPublication[] {
  return list.flatMap((friend) => {
    const topic = `${user}/${FRIEND}${friend.id}`;
    const [location, card] = friendMessages(friend, `owntracks/${user}/${FRIEND}`);
    const sealed = (message: object) => JSON.stringify(encrypted(message, secret));
    if (location === undefined || card === undefined) return [];
    return [
      { topic, payload: sealed(location) },
      { topic: `${topic}/info`, payload: sealed(card) },
    ];
  });
}

function decode({ levels, payload, now, secret }: TopicMessage): DecodedTopic {
  const [user = '', device = ''] = levels;
  if (device.startsWith(FRIEND)) return { ignored: 'a copy that was published for friends' };
  const names = [`${user}/${device}`, device];
  const decoded = owntracks.decode({
    query: [
      ['u', user],
      ['d', device],
    ],
    contentType: 'application/json',
    body: payload.toString('utf8'),
    headers: {},
    now,
    ...(secret !== undefined && { secret }),
  });
  if ('malformed' in decoded) return { problem: decoded.malformed, names };
  const { report, ignored, encrypted: isEncrypted } = decoded;
  if (ignored !== undefined && report.unreadable === undefined) return { ignored };
  return { names, said: { report }, ...(isEncrypted && { isEncrypted: true }) };
}
