import { Link } from 'wouter';
import { useGeofences } from '../../../api/geofences.ts';
import { useGroups } from '../../../api/many/groups.ts';
import { type Rule, useRules } from '../../../api/many/rules.ts';
import { useFormat } from '../../../format/use-format.ts';
import { PauseBadge } from '../../../forms/pause-menu.tsx';
import { isKnownType } from '../../../forms/trigger-draft.ts';
import { sentenceOf } from '../../../forms/trigger-sentence.ts';
import { iconOfType } from '../../../forms/trigger-types.ts';
import { t } from '../../../texts/t.ts';
import { Badge } from '../../../ui/badge.tsx';
import { ButtonLink } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { EmptyState, Loaded } from '../../../ui/states.tsx';
import feed from '../feed.module.css';
import { AllRules } from './all-rules.tsx';
import { draftOfRule, extentInWords } from './rule-extent.ts';

const words = t.rules;

/** What many devices are watched for. */
export function RuleList() {
  const query = useRules();
  return (
    <Loaded query={query} lines={4}>
      {(rules) =>
        rules.length === 0 ? (
          <EmptyState
            icon="layers"
            title={words.none}
            action={
              <ButtonLink href="/notifications/rules/new" kind="primary" icon="plus">
                {words.add}
              </ButtonLink>
            }
          >
            {words.noneHint}
          </EmptyState>
        ) : (
          <>
            <p className={feed.unreadBar}>{words.lead}</p>
            {rules.length > 1 && <AllRules rules={rules} />}
            <ul className={feed.rows} aria-label={words.tab}>
              {rules.map((rule) => (
                <li key={rule.id}>
                  <RuleRow rule={rule} />
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Loaded>
  );
}

function RuleRow({ rule }: { rule: Rule }) {
  const { units } = useFormat();
  const fences = useGeofences({ order: 'name ASC' }).data ?? [];
  const groups = useGroups().data ?? [];
  const sentence = isKnownType(rule.type)
    ? sentenceOf(draftOfRule(rule), {
        device: extentInWords(rule, groups),
        other: t.triggers.anotherDevice,
        fences,
        units,
      })
    : t.triggers.unknownType(rule.type);
  return (
    <Link href={`/notifications/rules/${rule.id}`} className={feed.row}>
      <span className={feed.mark}>
        <Icon name={iconOfType(rule.type)} size={20} />
      </span>
      <span className={feed.words}>
        <span className={feed.message}>{sentence}</span>
        <span className={feed.about}>
          {rule.name !== rule.type && <span>{rule.name}</span>}
          <PauseBadge of={rule} />
          {rule.severity !== 'info' && (
            <Badge tone={rule.severity === 'critical' ? 'danger' : 'warn'}>{words.severities[rule.severity]}</Badge>
          )}
          <span>{words.on(rule.deviceCount)}</span>
          {!rule.isSettled && <Badge tone="info">{words.spreading}</Badge>}
        </span>
      </span>
      <Icon name="right" size={16} />
    </Link>
  );
}
