import { type CSSProperties, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useGeofences } from '../../api/geofences.ts';
import { readFleet, useFleet } from '../../api/live/fleet.ts';
import { type DeviceGroup, useGroupMembers, useGroups } from '../../api/many/groups.ts';
import { count } from '../../format/quantities.ts';
import { HistoryDialog } from '../../forms/history-dialog.tsx';
import { usePreferences } from '../../preferences.ts';
import { inSentence } from '../../texts/counting.ts';
import { t } from '../../texts/t.ts';
import { ButtonLink, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { useIsPhone } from '../../ui/fields/filter-bar.tsx';
import { SearchField } from '../../ui/fields/search-field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { useTitle } from '../../ui/page.tsx';
import { EmptyState, ErrorState, problemOf, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { WindowList } from '../../ui/window-list.tsx';
import { BulkBar } from './bulk/bulk-bar.tsx';
import { DeviceRow } from './device-row.tsx';
import css from './devices.module.css';
import { exportCsv } from './export-csv.ts';
import { devicesOf, groupNames } from './groups-of.ts';
import { ImportDialog } from './import/import-dialog.tsx';
import { ColumnMenu, columnName, ListFilters } from './list-filters.tsx';
import { type ColumnKey, listed, SORTABLE } from './listing.ts';
import { tagChoices } from './tag-filter.ts';
import { ViewMenu } from './view-menu.tsx';
import { queryOf, type Shown, wishOf } from './wish-query.ts';

const ROW_PX = 38;
/** With the time of the last report below the name. */
const PHONE_ROW_PX = 52;
const NONE: readonly DeviceGroup[] = [];
const WIDTHS: Record<ColumnKey, string> = {
  name: 'minmax(140px, 2fr)',
  state: '156px',
  speed: '84px',
  battery: '74px',
  heard: '120px',
  place: 'minmax(100px, 1.4fr)',
  plate: '110px',
  type: 'minmax(70px, 0.8fr)',
  tags: 'minmax(90px, 1.2fr)',
  groups: 'minmax(90px, 1.2fr)',
};

const countWords = (shown: number, all: number) =>
  shown === all ? t.devices.count({ all }) : t.devices.countOf({ shown: count(shown), all });

/** All devices, from the live fleet. */
export default function DevicesPage() {
  useTitle(t.devices.title);
  const isPhone = useIsPhone();
  const { devices, version, loading } = useFleet();
  const { offlineAfterMin } = usePreferences();
  const [query, setQuery] = useSearchParams();
  const queryText = queryOf(wishOf(query)).toString();
  const wish = useMemo(() => wishOf(new URLSearchParams(queryText)), [queryText]);
  const change = (next: Partial<Shown>) => setQuery(queryOf({ ...wish, ...next }), { replace: true });
  const fences = useGeofences().data ?? [];
  const groups = useGroups().data ?? NONE;
  const showsGroups = wish.columns.includes('groups');
  const members = useGroupMembers({ enabled: showsGroups || wish.group !== undefined }).data;
  const { inGroup, groupsOf } = useMemo(
    () => ({
      inGroup: wish.group === undefined || !members ? undefined : devicesOf(wish.group, { groups, members }),
      groupsOf: showsGroups && members ? groupNames({ groups, members }) : undefined,
    }),
    [wish.group, showsGroups, groups, members],
  );
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  // In the address, so that the command palette and other pages can link here.
  const importing = query.get('import');
  const setImporting = (what?: 'devices' | 'history') => {
    const next = queryOf(wish);
    if (what !== undefined) next.set('import', what);
    setQuery(next, { replace: true });
  };
  const last = useRef<number>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: The fleet changes in place; its version changes with it.
  const rows = useMemo(
    () => listed(devices.values(), { ...wish, inGroup, now: Date.now(), offlineAfterMin }),
    [devices, version, wish, inGroup, offlineAfterMin],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: As above.
  const choices = useMemo(() => tagChoices(devices.values()), [devices, version]);
  // Only listed devices are affected, because a hidden selection would be surprising.
  const chosen = rows.filter(({ id }) => selected.has(id));
  const { columns, sort, descends } = wish;
  const template = `20px ${columns.map((column) => WIDTHS[column]).join(' ')} 36px`;

  const select = (id: number, isSelected: boolean, withRange: boolean) => {
    const [from, to] = [rows.findIndex((row) => row.id === last.current), rows.findIndex((row) => row.id === id)];
    const range = withRange && from >= 0 ? rows.slice(Math.min(from, to), Math.max(from, to) + 1) : [rows[to]!];
    last.current = id;
    setSelected((now) => {
      const next = new Set(now);
      for (const one of range)
        if (isSelected) next.add(one.id);
        else next.delete(one.id);
      return next;
    });
  };
  const download = () =>
    exportCsv(chosen.length > 0 ? chosen : rows, fences, offlineAfterMin).catch((error) =>
      toast({ text: problemOf(error), tone: 'danger' }),
    );
  return (
    <div className={css.page}>
      <header className={css.head}>
        <div>
          <h1>{t.devices.title}</h1>
          {loading === 'ready' && <p className={css.soft}>{countWords(rows.length, devices.size)}</p>}
        </div>
        <div className={css.tools}>
          <ColumnMenu wish={wish} onChange={change} />
          <ViewMenu query={queryText} onChoose={(text) => setQuery(new URLSearchParams(text))} />
          <Menu
            label={t.deviceList.more}
            items={[
              { label: t.deviceList.import, icon: 'upload', onPress: () => setImporting('devices') },
              { label: t.historyImport.title, icon: 'history', onPress: () => setImporting('history') },
              { label: t.deviceList.export, icon: 'download', onPress: () => void download() },
            ]}
            button={(props) => <IconButton icon="more" label={t.deviceList.more} {...props} />}
          />
          <ButtonLink href="/welcome" kind="primary" icon="plus" shrinks>
            {t.devices.add}
          </ButtonLink>
        </div>
        <div className={css.narrow}>
          <SearchField label={t.devices.search} value={wish.text} onChange={(text) => change({ text })} />
          {devices.size > 0 && <ListFilters wish={wish} onChange={change} tagChoices={choices} groups={groups} />}
        </div>
      </header>
      {importing === 'devices' && <ImportDialog onClose={() => setImporting()} />}
      {importing === 'history' && <HistoryDialog onClose={() => setImporting()} />}
      {loading === 'loading' && <Skeleton lines={8} height={30} />}
      {loading === 'failed' && <ErrorState error={new Error(t.map.failed)} onRetry={() => void readFleet()} />}
      {loading === 'ready' && devices.size === 0 && (
        <EmptyState icon="device" title={t.devices.none}>
          {t.devices.noneHint}
        </EmptyState>
      )}
      {devices.size > 0 && (
        <div className={classes(css.table, rows.every(({ batteryPct }) => batteryPct === null) && css.noBattery)}>
          {chosen.length > 0 && <BulkBar devices={chosen} onClear={() => setSelected(new Set())} />}
          <div className={classes(css.row, css.columns)} style={{ '--columns': template } as CSSProperties}>
            <input
              type="checkbox"
              aria-label={t.deviceList.selectAll}
              checked={chosen.length > 0 && chosen.length === rows.length}
              ref={(box) => {
                if (box) box.indeterminate = chosen.length > 0 && chosen.length < rows.length;
              }}
              onChange={({ target }) => setSelected(new Set(target.checked ? rows.map(({ id }) => id) : []))}
            />
            {columns.map((column) =>
              SORTABLE.includes(column) ? (
                <button
                  key={column}
                  type="button"
                  className={classes(css.sort, css[column])}
                  aria-label={t.devices.sortBy({ column: inSentence(columnName(column)) })}
                  aria-pressed={sort === column}
                  onClick={() => change({ sort: column, descends: sort === column && !descends })}
                >
                  {columnName(column)}
                  {sort === column && <Icon name={descends ? 'down' : 'up'} size={14} />}
                </button>
              ) : (
                <span key={column} className={classes(css.sort, css.fixed, css[column])}>
                  {columnName(column)}
                </span>
              ),
            )}
          </div>
          {rows.length === 0 ? (
            <EmptyState icon="search" title={t.devices.noMatch}>
              {t.devices.noMatchHint}
            </EmptyState>
          ) : (
            <div className={css.list}>
              <WindowList
                items={rows}
                rowHeight={isPhone ? PHONE_ROW_PX : ROW_PX}
                itemKey={({ id }) => id}
                label={t.devices.list}
              >
                {(device) => (
                  <DeviceRow
                    {...{ device, columns, template, fences }}
                    groups={groupsOf?.get(device.id) ?? ''}
                    isSelected={selected.has(device.id)}
                    onSelect={(isSelected, withRange) => select(device.id, isSelected, withRange)}
                  />
                )}
              </WindowList>
            </div>
          )}
        </div>
      )}
    </div>
  );
}
