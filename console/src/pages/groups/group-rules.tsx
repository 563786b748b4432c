import { Link } from 'wouter';
import { type DeviceGroup, useGroups } from '../../api/many/groups.ts';
import { type Rule, useRules } from '../../api/many/rules.ts';
import { PauseBadge } from '../../forms/pause-menu.tsx';
import { isKnownType } from '../../forms/trigger-draft.ts';
import { t } from '../../texts/t.ts';
import { Card } from '../../ui/page.tsx';
import css from './groups.module.css';

const words = t.groups;

/** The rules of a group: those for itself, and those for a group above it, which include its devices. */
export function GroupRules({ group }: { group: DeviceGroup }) {
  const rules = useRules().data ?? [];
  const groups = useGroups().data ?? [];
  const names = new Map([[group.id, group.name]]);
  for (let above = parentOf(group, groups); above && !names.has(above.id); above = parentOf(above, groups))
    names.set(above.id, above.name);
  const named = rules.filter(({ appliesTo, groupId }) => appliesTo === 'group' && names.has(groupId ?? 0));
  if (named.length === 0) return null;
  return (
    <Card title={t.alerts.title}>
      <ul className={css.list} aria-label={t.alerts.title}>
        {named.map((rule) => (
          <li key={rule.id} className={css.member}>
            <Link href={`/alerts/rules/${rule.id}`}>{nameOf(rule)}</Link>
            {rule.groupId !== group.id && (
              <span className={css.soft}>{words.ruleOf({ group: names.get(rule.groupId ?? 0) ?? '' })}</span>
            )}
            <PauseBadge of={rule} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The given name, or else the type. */
const nameOf = ({ name, type }: Rule) =>
  name !== type ? name : isKnownType(type) ? t.triggers.types[type].label : t.triggers.unknownType({ type });

const parentOf = ({ parentId }: DeviceGroup, groups: readonly DeviceGroup[]) =>
  groups.find(({ id }) => id === parentId);
