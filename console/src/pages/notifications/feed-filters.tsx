import { SEVERITIES } from '@trackway/contract/severities.ts';
import { useSearchParams } from 'wouter';
import { PickDevice } from '../../forms/pick-device.tsx';
import { labelOfType, TYPE_NAMES } from '../../forms/trigger-types.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { DayFilters, FilterBar } from '../../ui/fields/filter-bar.tsx';
import { ACKNOWLEDGEMENTS, type FeedFilter, filtersInUse, PERIODS, STATUSES, searchOf } from './filter.ts';

const words = t.notifications;

/** The filters of the feed; all of them are in the address. */
export function FeedFilters({ filter }: { filter: FeedFilter }) {
  const [search, setSearch] = useSearchParams();
  const narrow = (change: Record<string, string | undefined>) => setSearch(searchOf(search, change), { replace: true });
  const clear = () => setSearch(filter.view === 'all' ? {} : { view: filter.view }, { replace: true });
  const types = [...TYPE_NAMES].sort((a, b) => labelOfType(a).localeCompare(labelOfType(b)));
  return (
    <FilterBar count={filtersInUse(filter)} onClear={clear}>
      <PickDevice
        label={words.device}
        placeholder={words.anyDevice}
        deviceId={filter.deviceId}
        onChange={(id) => narrow({ device: id?.toString() })}
      />
      <SelectField
        label={words.type}
        value={filter.type}
        onChange={(type) => narrow({ type })}
        choices={[
          { value: '', label: words.anyType },
          ...types.map((type) => ({ value: type as string, label: labelOfType(type) })),
        ]}
      />
      <SelectField
        label={words.period}
        value={filter.period}
        onChange={(period) => narrow({ period, ...(period !== 'custom' && { from: '', to: '' }) })}
        choices={PERIODS.map((period) => ({ value: period, label: words.periods[period] }))}
      />
      <SelectField
        label={words.severity}
        value={filter.severity}
        onChange={(severity) => narrow({ severity })}
        choices={[
          { value: 'all', label: words.anySeverity },
          ...SEVERITIES.map((value) => ({ value, label: t.rules.severities[value] })),
        ]}
      />
      <SelectField
        label={words.acknowledged}
        value={filter.acknowledged}
        onChange={(acknowledged) => narrow({ acknowledged })}
        choices={ACKNOWLEDGEMENTS.map((value) => ({ value, label: words.acknowledgements[value] }))}
      />
      <SelectField
        label={words.status}
        value={filter.status}
        onChange={(status) => narrow({ status })}
        choices={STATUSES.map((status) => ({ value: status, label: words.statuses[status] }))}
      />
      {filter.period === 'custom' && <DayFilters words={words} from={filter.from} to={filter.to} onChange={narrow} />}
      {filter.triggerId !== undefined && (
        <Button size="small" icon="close" onClick={() => narrow({ trigger: '' })}>
          {words.ofTrigger({ name: words.unknownTrigger({ id: filter.triggerId }) })}
        </Button>
      )}
    </FilterBar>
  );
}
