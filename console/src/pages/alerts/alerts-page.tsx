import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useGeofences } from '../../api/geofences.ts';
import { useFleet } from '../../api/live/fleet.ts';
import { useGroups } from '../../api/many/groups.ts';
import { useRules } from '../../api/many/rules.ts';
import { useUserTriggers } from '../../api/triggers.ts';
import { relative } from '../../format/times.ts';
import { useFormat, useNow } from '../../format/use-format.ts';
import { PauseBadge } from '../../forms/pause-menu.tsx';
import { draftOf, isKnownType } from '../../forms/trigger-draft.ts';
import { sentenceOf } from '../../forms/trigger-sentence.ts';
import { iconOfType } from '../../forms/trigger-types.ts';
import { t } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { SearchField } from '../../ui/fields/search-field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import rows from '../../ui/rows.module.css';
import { EmptyState, Loaded } from '../../ui/states.tsx';
import css from './alerts.module.css';
import { AllAlerts } from './all-alerts.tsx';
import { type Alert, addressOf, extentInWords, isRule } from './form/who.ts';

const words = t.alerts;
const PAGE_ALERTS = 50;

/** Everything the user is notified of: each alert once, for however many devices. */
export default function AlertsPage() {
  const rules = useRules();
  const triggers = useUserTriggers();
  const sentence = useSentence();
  const [search, setSearch] = useSearchParams();
  const [page, setPage] = useState(0);
  const text = search.get('q') ?? '';
  const find = (q: string) => {
    setPage(0);
    setSearch(q === '' ? {} : { q }, { replace: true });
  };
  const add = (
    <ButtonLink href="/alerts/new" kind="primary" icon="plus">
      {words.add}
    </ButtonLink>
  );
  return (
    <Page title={words.title} lead={words.lead} actions={add}>
      <Loaded query={rules} lines={6}>
        {(several) => (
          <Loaded query={triggers} lines={6}>
            {(single) => {
              const all: readonly Alert[] = [...several, ...single];
              if (all.length === 0)
                return (
                  <EmptyState icon="alert" title={words.none} action={add}>
                    {words.noneHint}
                  </EmptyState>
                );
              const wanted = text.trim().toLowerCase();
              const found = all
                .map((alert) => ({ alert, said: sentence(alert) }))
                .filter(({ alert, said }) => `${said}\n${alert.name}`.toLowerCase().includes(wanted));
              const from = page * PAGE_ALERTS;
              return (
                <>
                  <div className={css.head}>
                    <SearchField label={words.search} value={text} onChange={find} />
                    {all.length > 1 && <AllAlerts alerts={all} />}
                  </div>
                  {found.length === 0 ? (
                    <EmptyState icon="search" title={words.nothingFound} />
                  ) : (
                    <ul className={rows.rows} aria-label={words.title}>
                      {found.slice(from, from + PAGE_ALERTS).map(({ alert, said }) => (
                        <li key={addressOf(alert)}>
                          <AlertRow alert={alert} sentence={said} />
                        </li>
                      ))}
                    </ul>
                  )}
                  <Pager page={page} hasMore={found.length > from + PAGE_ALERTS} onChange={setPage} />
                </>
              );
            }}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

/** Says an alert as a sentence, with the names of its devices and geofences. */
function useSentence(): (alert: Alert) => string {
  const { units } = useFormat();
  const fences = useGeofences({ order: 'name ASC' }).data ?? [];
  const groups = useGroups().data ?? [];
  const { devices } = useFleet();
  return (alert) => {
    if (!isKnownType(alert.type)) return t.triggers.unknownType({ type: alert.type });
    const device = isRule(alert)
      ? extentInWords(alert, groups)
      : { device: devices.get(alert.deviceId)?.name ?? t.triggers.unnamedDevice({ id: alert.deviceId }) };
    return sentenceOf(draftOf(alert), { ...device, other: t.triggers.anotherDevice, fences, units });
  };
}

function AlertRow({ alert, sentence }: { alert: Alert; sentence: string }) {
  const now = useNow();
  return (
    <Link href={addressOf(alert)} className={rows.row}>
      <span className={rows.mark}>
        <Icon name={iconOfType(alert.type)} size={20} />
      </span>
      <span className={rows.words}>
        <span className={rows.message}>{sentence}</span>
        <span className={rows.about}>
          {alert.name !== alert.type && <span>{alert.name}</span>}
          <PauseBadge of={alert} />
          {alert.severity !== 'info' && (
            <Badge tone={alert.severity === 'critical' ? 'danger' : 'warn'}>{t.rules.severities[alert.severity]}</Badge>
          )}
          {isRule(alert) ? (
            <span>{t.rules.on({ count: alert.deviceCount })}</span>
          ) : (
            <span>
              {alert.lastTriggered
                ? t.triggers.lastFired({ when: relative(alert.lastTriggered, now) })
                : t.triggers.neverFired}
            </span>
          )}
          {isRule(alert) && !alert.isSettled && <Badge tone="info">{t.rules.spreading}</Badge>}
        </span>
      </span>
      <Icon name="right" size={16} />
    </Link>
  );
}
