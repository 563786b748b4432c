import { owntracks } from '../owntracks.ts';
import type { DecodedTopic, TopicMessage, TopicSource } from './source.ts';

/** `owntracks/<user>/<device>`. Commands, waypoints and the like are on topics that are not subscribed to. */
export const owntracksTopics: TopicSource = {
  name: 'owntracks',
  prefix: 'owntracks',
  filters: ['+/+', '+/+/event', '+/+/beacon', '+/+/step'],
  decode,
};

function decode({ levels, payload, now, secret }: TopicMessage): DecodedTopic {
  const [user = '', device = ''] = levels;
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
  const { report, ignored, encrypted } = decoded;
  if (ignored !== undefined && report.unreadable === undefined) return { ignored };
  return { names, said: { report }, ...(encrypted && { isEncrypted: true }) };
}
