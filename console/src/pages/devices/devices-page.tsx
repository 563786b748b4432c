import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { readFleet, useFleet } from '../../api/live/fleet.ts';
import { count } from '../../format/quantities.ts';
import { usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Chip, Chips } from '../../ui/chips.tsx';
import { classes } from '../../ui/class-names.ts';
import { SelectField } from '../../ui/fields/field.tsx';
import { SearchField } from '../../ui/fields/search-field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useTitle } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { WindowList } from '../../ui/window-list.tsx';
import { DeviceRow } from './device-row.tsx';
import css from './devices.module.css';
import { COLUMNS, type ColumnKey, listed } from './listing.ts';
import { anyOf, tagChoices } from './tag-filter.ts';

const ROW_PX = 58;

/** All devices, from the live fleet: what is seen is what is. */
export default function DevicesPage() {
  useTitle(t.devices.title);
  const { devices, version, loading } = useFleet();
  const { offlineAfterMin } = usePreferences();
  const [query, setQuery] = useSearchParams();
  const text = query.get('q') ?? '';
  const tagText = query.getAll('tag').join('\n');
  const tags = useMemo(() => (tagText === '' ? [] : tagText.split('\n')), [tagText]);
  const sort = (query.get('sort') as ColumnKey | null) ?? 'name';
  const descends = query.get('desc') === '1';
  // biome-ignore lint/correctness/useExhaustiveDependencies: The fleet changes in place; its version tells that it did.
  const rows = useMemo(
    () => listed(devices.values(), { text, tags, sort, descends, now: Date.now(), offlineAfterMin }),
    [devices, version, text, tags, sort, descends, offlineAfterMin],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: As above.
  const choices = useMemo(() => tagChoices(devices.values()), [devices, version]);
  const filter = (wanted: readonly string[]) =>
    setQuery(
      (now) => {
        const changed = new URLSearchParams(now);
        changed.delete('tag');
        for (const tag of wanted) changed.append('tag', tag);
        return changed;
      },
      { replace: true },
    );
  const change = (next: Record<string, string>) =>
    setQuery(
      (now) => {
        const changed = new URLSearchParams(now);
        for (const [name, value] of Object.entries(next)) {
          if (value === '') changed.delete(name);
          else changed.set(name, value);
        }
        return changed;
      },
      { replace: true },
    );
  return (
    <div className={css.page}>
      <header className={css.head}>
        <div>
          <h1>{t.devices.title}</h1>
          {loading === 'ready' && (
            <p className={css.soft}>{t.devices.count(count(rows.length), count(devices.size))}</p>
          )}
        </div>
        <div className={css.tools}>
          <SearchField label={t.devices.search} value={text} onChange={(q) => change({ q })} />
          {choices.length > 0 && (
            <SelectField
              label={t.devices.filterByTag}
              hidesLabel
              value=""
              onChange={(tag) => filter([...tags, tag])}
              choices={[
                { value: '', label: t.devices.filterByTag },
                ...choices.filter((tag) => !tags.includes(tag)).map((tag) => ({ value: tag, label: tagInWords(tag) })),
              ]}
            />
          )}
          <ButtonLink href="/welcome" kind="primary" icon="plus">
            {t.devices.add}
          </ButtonLink>
        </div>
        {tags.length > 0 && (
          <div className={css.filters}>
            <Chips label={t.devices.filters}>
              {tags.map((tag) => (
                <Chip key={tag} isOn onPress={() => filter(tags.filter((one) => one !== tag))}>
                  <span className="unseen">{t.devices.endFilter(tagInWords(tag))}</span>
                  <span aria-hidden="true">{tagInWords(tag)}</span>
                  <Icon name="close" size={14} />
                </Chip>
              ))}
            </Chips>
          </div>
        )}
      </header>
      {loading === 'loading' && <Skeleton lines={8} height={40} />}
      {loading === 'failed' && <ErrorState error={new Error(t.map.failed)} onRetry={() => void readFleet()} />}
      {loading === 'ready' && devices.size === 0 && (
        <EmptyState icon="device" title={t.devices.none}>
          {t.devices.noneHint}
        </EmptyState>
      )}
      {devices.size > 0 && (
        <div className={css.table}>
          <div className={classes(css.row, css.columns)}>
            {COLUMNS.map((column) => (
              <button
                key={column}
                type="button"
                className={classes(css.sort, css[column])}
                aria-label={t.devices.sortBy(t.devices[column])}
                aria-pressed={sort === column}
                onClick={() => change({ sort: column, desc: sort === column && !descends ? '1' : '' })}
              >
                {t.devices[column]}
                {sort === column && <Icon name={descends ? 'down' : 'up'} size={14} />}
              </button>
            ))}
          </div>
          {rows.length === 0 ? (
            <EmptyState icon="search" title={t.devices.noMatch}>
              {t.devices.noMatchHint}
            </EmptyState>
          ) : (
            <div className={css.list}>
              <WindowList items={rows} rowHeight={ROW_PX} itemKey={({ id }) => id} label={t.devices.list}>
                {(device) => <DeviceRow device={device} />}
              </WindowList>
            </div>
          )}
        </div>
      )}
    </div>
  );
}

function tagInWords(tag: string): string {
  const name = anyOf(tag);
  return name === undefined ? tag : t.devices.anyValue(name);
}
