import { AUDIT_ACTIONS, type AuditAction } from '@trackway/contract/audit.ts';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useUsers } from '../../api/accounts/users.ts';
import { containing, PickDevice } from '../../forms/pick-device.tsx';
import { t } from '../../texts/t.ts';
import { type ComboChoice, ComboField } from '../../ui/fields/combo-field.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { DayFilters, FilterBar } from '../../ui/fields/filter-bar.tsx';
import { type AuditFilter, filtersInUse } from './filter.ts';

const words = t.audit;
const ACTIONS = AUDIT_ACTIONS.map((value) => ({ value, label: t.auditActions[value] }));

/** The filters of the audit trail; all of them are in the address. */
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
    <FilterBar count={filtersInUse(filter)} onClear={() => setSearch(new URLSearchParams(), { replace: true })}>
      <SelectField<AuditAction | ''>
        label={words.action}
        value={filter.action}
        onChange={(action) => narrow({ action })}
        choices={[{ value: '', label: words.anyAction }, ...ACTIONS]}
      />
      <PickDevice
        label={words.device}
        placeholder={words.anyDevice}
        deviceId={filter.deviceId}
        onChange={(id) => narrow({ device: id?.toString() })}
      />
      {isAdmin && <PickUser userId={filter.userId} onChange={(id) => narrow({ user: id?.toString() })} />}
      <DayFilters words={words} from={filter.from} to={filter.to} onChange={narrow} />
    </FilterBar>
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
      placeholder={words.anyUser}
      query={query}
      onQuery={setQuery}
      chosen={
        userId === undefined ? undefined : choiceOf(chosen ?? { id: userId, email: words.userNumber({ id: userId }) })
      }
      onChange={(choice) => onChange(choice?.value)}
      choices={(found.data ?? []).map(choiceOf)}
      nothing={found.isPending ? t.ui.loading : words.noUser}
    />
  );
}
