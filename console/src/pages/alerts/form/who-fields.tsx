import { branchesOf, useGroups } from '../../../api/many/groups.ts';
import { PickDevice } from '../../../forms/pick-device.tsx';
import { t } from '../../../texts/t.ts';
import { FieldStack, SelectField, TextField } from '../../../ui/fields/field.tsx';
import { Notice } from '../../../ui/states.tsx';
import { Segmented } from '../../../ui/tabs.tsx';
import type { Who } from './who.ts';

const words = t.rules;

export function problemIn({ appliesTo, deviceId, groupId, tag }: Who): string | undefined {
  if (appliesTo === 'device' && deviceId === undefined) return t.triggers.needsDevice;
  if (appliesTo === 'group' && groupId === null) return words.needsGroup;
  if (appliesTo === 'tag' && !tag?.trim()) return words.needsTag;
  return undefined;
}

/** The devices of an alert: one, all of a group, all with a tag, or all. */
export function WhoFields({
  who,
  problem,
  onChange,
}: {
  who: Who;
  problem: string | undefined;
  onChange: (who: Who) => void;
}) {
  const groups = (useGroups().data ?? []).filter(({ right }) => right !== 'view');
  return (
    <FieldStack>
      <Segmented
        label={t.alerts.who}
        value={who.appliesTo}
        choices={(['device', 'group', 'tag', 'all'] as const).map((value) => ({ value, label: t.alerts.kinds[value] }))}
        onChange={(appliesTo) => onChange({ ...who, appliesTo })}
      />
      {who.appliesTo === 'device' && (
        <PickDevice
          label={t.triggers.device}
          placeholder={t.triggers.pickDevice}
          deviceId={who.deviceId}
          onChange={(deviceId) => onChange({ ...who, deviceId })}
        />
      )}
      {who.appliesTo === 'group' && (
        <SelectField
          label={words.group}
          value={who.groupId === null ? '' : String(who.groupId)}
          choices={[
            { value: '', label: words.pickGroup },
            ...branchesOf(groups).map(({ group, level }) => ({
              value: String(group.id),
              label: `${'  '.repeat(level)}${group.name}`,
            })),
          ]}
          onChange={(value) => onChange({ ...who, groupId: value === '' ? null : Number(value) })}
        />
      )}
      {who.appliesTo === 'tag' && (
        <TextField
          label={words.tag}
          hint={words.tagHint}
          maxLength={100}
          value={who.tag ?? ''}
          onChange={(tag) => onChange({ ...who, tag })}
        />
      )}
      {problem && <Notice tone="danger">{problem}</Notice>}
    </FieldStack>
  );
}
