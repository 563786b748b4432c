import { useSearchParams } from 'wouter';
import { PickDevice } from '../../forms/pick-device.tsx';
import { labelOfType, TYPE_NAMES } from '../../forms/trigger-types.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import css from './feed.module.css';
import { type FeedFilter, isNarrowed, PERIODS, STATUSES, searchOf } from './filter.ts';

const words = t.notifications;

/** What of the feed is shown; all of it stands in the address. */
export function FeedFilters({ filter }: { filter: FeedFilter }) {
  const [search, setSearch] = useSearchParams();
  const narrow = (change: Record<string, string | undefined>) => setSearch(searchOf(search, change), { replace: true });
  const types = [...TYPE_NAMES].sort((a, b) => labelOfType(a).localeCompare(labelOfType(b)));
  return (
    <search className={css.filters} aria-label={words.filters}>
      <div className={css.wide}>
        <PickDevice
          label={words.device}
          hidesLabel
          placeholder={words.anyDevice}
          deviceId={filter.deviceId}
          onChange={(id) => narrow({ device: id?.toString() })}
        />
      </div>
      <SelectField
        label={words.type}
        hidesLabel
        value={filter.type}
        onChange={(type) => narrow({ type })}
        choices={[
          { value: '', label: words.anyType },
          ...types.map((type) => ({ value: type as string, label: labelOfType(type) })),
        ]}
      />
      <SelectField
        label={words.period}
        hidesLabel
        value={filter.period}
        onChange={(period) => narrow({ period, ...(period !== 'custom' && { from: '', to: '' }) })}
        choices={PERIODS.map((period) => ({ value: period, label: words.periods[period] }))}
      />
      <SelectField
        label={words.status}
        hidesLabel
        value={filter.status}
        onChange={(status) => narrow({ status })}
        choices={STATUSES.map((status) => ({ value: status, label: words.statuses[status] }))}
      />
      {filter.period === 'custom' && (
        <>
          <TextField
            label={words.from}
            hidesLabel
            type="date"
            max={filter.to || undefined}
            value={filter.from}
            onChange={(from) => narrow({ from })}
          />
          <TextField
            label={words.to}
            hidesLabel
            type="date"
            min={filter.from || undefined}
            value={filter.to}
            onChange={(to) => narrow({ to })}
          />
        </>
      )}
      {filter.triggerId !== undefined && (
        <Button size="small" icon="close" onClick={() => narrow({ trigger: '' })}>
          {words.ofTrigger(words.unknownTrigger(filter.triggerId))}
        </Button>
      )}
      {isNarrowed(filter) && (
        <Button size="small" kind="quiet" onClick={() => setSearch(new URLSearchParams(), { replace: true })}>
          {words.clear}
        </Button>
      )}
    </search>
  );
}
