import { useMemo } from 'react';
import { useFleet } from '../../api/live/fleet.ts';
import { branchesOf, useGroups } from '../../api/many/groups.ts';
import { PickDevice } from '../../forms/pick-device.tsx';
import { t } from '../../texts/t.ts';
import { SelectField } from '../../ui/fields/field.tsx';
import type { ReportChoice } from './choice.ts';

const words = t.reports;

export type DevicesChosen = Pick<ReportChoice, 'deviceId' | 'groupId' | 'tag'>;

/** One device, the devices of a group, the devices with a tag, or all. */
export function PickDevices({
  chosen,
  onChange,
}: {
  chosen: DevicesChosen;
  onChange: (chosen: DevicesChosen) => void;
}) {
  const groups = branchesOf(useGroups().data ?? []);
  const { devices, version } = useFleet();
  // biome-ignore lint/correctness/useExhaustiveDependencies: The devices change in place.
  const tags = useMemo(() => [...new Set([...devices.values()].flatMap((device) => device.tags))].sort(), [version]);
  const shownTags = chosen.tag !== undefined && !tags.includes(chosen.tag) ? [chosen.tag, ...tags] : tags;
  const value = chosen.groupId !== undefined ? `g${chosen.groupId}` : chosen.tag !== undefined ? `t${chosen.tag}` : '';
  return (
    <>
      <PickDevice
        label={words.device}
        placeholder={value === '' ? words.allDevices : words.byGroup}
        deviceId={chosen.deviceId}
        onChange={(deviceId) => onChange(deviceId === undefined ? {} : { deviceId })}
      />
      {(groups.length > 0 || shownTags.length > 0) && (
        <SelectField
          label={words.groupOrTag}
          value={value}
          onChange={(next) =>
            onChange(
              next === '' ? {} : next.startsWith('g') ? { groupId: Number(next.slice(1)) } : { tag: next.slice(1) },
            )
          }
          choices={[
            { value: '', label: words.anyGroup },
            ...groups.map(({ group, level }) => ({
              value: `g${group.id}`,
              label: `${'\u2003'.repeat(level)}${group.name}`,
            })),
            ...shownTags.map((tag) => ({ value: `t${tag}`, label: words.tagged({ tag }) })),
          ]}
        />
      )}
    </>
  );
}
