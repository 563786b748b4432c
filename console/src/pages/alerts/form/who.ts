import type { DeviceGroup } from '../../../api/many/groups.ts';
import type { Rule } from '../../../api/many/rules.ts';
import type { Trigger } from '../../../api/triggers.ts';
import { t } from '../../../texts/t.ts';

const words = t.rules;

/** The API has one resource for an alert of one device, and one for an alert of several. */
export type Alert = Trigger | Rule;
export const isRule = (alert: Alert): alert is Rule => 'appliesTo' in alert;
export const addressOf = (alert: Alert) =>
  isRule(alert) ? `/alerts/rules/${alert.id}` : `/alerts/${alert.deviceId}/${alert.id}`;

/** The devices of a rule. */
type Extent = Pick<Rule, 'appliesTo' | 'groupId' | 'tag'>;

/** The devices of an alert. */
export type Who = Omit<Extent, 'appliesTo'> & {
  readonly appliesTo: Rule['appliesTo'] | 'device';
  readonly deviceId: number | undefined;
};

export const whoOf = (alert: Alert): Who =>
  isRule(alert)
    ? { appliesTo: alert.appliesTo, groupId: alert.groupId, tag: alert.tag, deviceId: undefined }
    : { appliesTo: 'device', groupId: null, tag: null, deviceId: alert.deviceId };

/** The devices as part of a sentence: "When a device in Vans …". */
export function extentInWords({ appliesTo, groupId, tag }: Extent, groups: readonly DeviceGroup[]) {
  const group = groups.find(({ id }) => id === groupId);
  const inRole = (role: 'of' | 'other') => {
    if (appliesTo === 'all') return words.anyDevice({ role });
    if (appliesTo === 'tag') return words.withTag({ role, tag: tag ?? '…' });
    return groupId === null || group ? words.inGroup({ role, name: group?.name ?? '…' }) : words.goneGroup;
  };
  return { device: inRole('other'), ofDevice: inRole('of') };
}
