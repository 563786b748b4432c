import { AUDIT_ACTIONS, type AuditAction } from '@trackway/contract/audit.ts';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useUsers } from '../../api/accounts/users.ts';
import { containing, PickDevice } from '../../forms/pick-device.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { type ComboChoice, ComboField } from '../../ui/fields/combo-field.tsx';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import css from './audit.module.css';
import { type AuditFilter, isNarrowed } from './filter.ts';

const words = t.audit;
const ACTIONS = (Object.keys(AUDIT_ACTIONS) as AuditAction[]).map((value) => ({ value, label: t.auditActions[value] }));

/** What of the trail is shown; all of it stands in the address. */
export function AuditFilters({ filter, isAdmin }: { filter: AuditFilter; isAdmin: boolean }) {
  const [search, setSearch] = useSearchParams();
  const narrow = (change: Record<string, string | undefined>) => {
    const next = new URLSearchParams(search);
    next.delete('page');
    for (const [name, value] of Object.entries(change)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    setSearch(next, { replace: true });
  };
  return (
    <search className={css.filters} aria-label={words.filters}>
      <SelectField<AuditAction | ''>
        label={words.action}
        hidesLabel
        value={filter.action}
        onChange={(action) => narrow({ action })}
        choices={[{ value: '', label: words.anyAction }, ...ACTIONS]}
      />
      <PickDevice
        label={words.device}
        hidesLabel
        placeholder={words.anyDevice}
        deviceId={filter.deviceId}
        onChange={(id) => narrow({ device: id?.toString() })}
      />
      {isAdmin && <PickUser userId={filter.userId} onChange={(id) => narrow({ user: id?.toString() })} />}
      <div className={css.dates}>
        <TextField
          label={words.from}
          type="date"
          max={filter.to || undefined}
          value={filter.from}
          onChange={(from) => narrow({ from })}
        />
        <TextField
          label={words.to}
          type="date"
          min={filter.from || undefined}
          value={filter.to}
          onChange={(to) => narrow({ to })}
        />
      </div>
      {isNarrowed(filter) && (
        <Button size="small" kind="quiet" onClick={() => setSearch(new URLSearchParams(), { replace: true })}>
          {words.clear}
        </Button>
      )}
    </search>
  );
}

const MOST = 20;

function PickUser({ userId, onChange }: { userId: number | undefined; onChange: (id: number | undefined) => void }) {
  const [query, setQuery] = useState('');
  const where = query.trim() ? { where: { email: { ilike: containing(query.trim()) } } } : {};
  const found = useUsers({ ...where, order: 'email ASC', limit: MOST }, { keepsPrevious: true });
  const known = useUsers({ where: { id: userId ?? 0 }, limit: 1 }, { enabled: userId !== undefined });
  const choiceOf = ({ id, email }: { id: number; email: string }): ComboChoice => ({ value: id, label: email });
  const chosen = known.data?.[0];
  return (
    <ComboField
      label={words.user}
      hidesLabel
      placeholder={words.anyUser}
      query={query}
      onQuery={setQuery}
      chosen={userId === undefined ? undefined : choiceOf(chosen ?? { id: userId, email: words.userNumber(userId) })}
      onChange={(choice) => onChange(choice?.value)}
      choices={(found.data ?? []).map(choiceOf)}
      nothing={found.isPending ? t.ui.loading : words.noUser}
    />
  );
}
