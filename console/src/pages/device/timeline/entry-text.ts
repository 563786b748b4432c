import type { TimelineEntry } from '../../../api/timeline.ts';
import { quarantineText } from '../../../texts/quarantine-text.ts';
import { messageFor, t } from '../../../texts/t.ts';

/** What an entry says, by its type and values. A type of a newer server is shown in English. */
export function entryText({ type, description, meta }: Pick<TimelineEntry, 'type' | 'description' | 'meta'>): string {
  const [group = '', ...event] = type.split('/');
  const messages = { ...t.deviceTimeline.entries }[group as keyof typeof t.deviceTimeline.entries] ?? {};
  const reason = quarantineText({ reason: meta.reason ?? '', reasonCode: meta.reasonCode });
  return messageFor(messages, event.join('/'), { ...meta, reason }) ?? description.replace(/\.$/, '');
}
