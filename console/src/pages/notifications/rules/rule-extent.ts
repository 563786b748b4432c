import type { DeviceGroup } from '../../../api/many/groups.ts';
import type { Rule } from '../../../api/many/rules.ts';
import { draftOfTrigger, type TriggerDraft } from '../../../forms/trigger-draft.ts';
import { t } from '../../../texts/t.ts';

const words = t.rules;

/** Which devices a rule is for. */
export type Extent = Pick<Rule, 'appliesTo' | 'groupId' | 'tag'>;

/** The devices in the words of a sentence: "When a device in Vans …". */
export function extentInWords({ appliesTo, groupId, tag }: Extent, groups: readonly DeviceGroup[]): string {
  if (appliesTo === 'all') return words.anyDevice;
  if (appliesTo === 'tag') return words.withTag(tag ?? '…');
  const group = groups.find(({ id }) => id === groupId);
  return groupId === null ? words.inGroup('…') : group ? words.inGroup(group.name) : words.goneGroup;
}

/** What the form of a trigger holds, of a rule. */
export const draftOfRule = (rule: Rule): TriggerDraft => ({
  ...draftOfTrigger({ ...rule, deviceId: 0, lastTriggered: null, meta: null }),
  deviceId: undefined,
});
