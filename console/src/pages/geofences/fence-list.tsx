import { Link, useSearchParams } from 'wouter';
import type { Geofence } from '../../api/geofences.ts';
import { colorOf } from '../../api/geofences.ts';
import { useFormat } from '../../format/use-format.ts';
import { shapeOf } from '../../map/draw/draw-shape.ts';
import { t } from '../../texts/t.ts';
import { ColorDot } from '../../ui/badge.tsx';
import { ButtonLink, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { SearchField } from '../../ui/fields/search-field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { WindowList } from '../../ui/window-list.tsx';
import css from './geofences.module.css';
import { type Group, groupsOf, nameOf } from './groups.ts';

const words = t.geofences;
const ROW_PX = 56;

type Entry = { readonly group: Group } | { readonly fence: Geofence };

/** All fences by group, filtered by a word and a group, which are in the address. */
export function FenceList({
  fences,
  shown,
  onImport,
  onExport,
}: {
  fences: readonly Geofence[];
  shown: readonly Geofence[];
  onImport: () => void;
  onExport: () => void;
}) {
  const [search, setSearch] = useSearchParams();
  const wanted = search.get('group');
  const narrow = (key: string, value: string | null) =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now);
        if (value === null || value === '') next.delete(key);
        else next.set(key, value);
        return next;
      },
      { replace: true },
    );
  const groups = groupsOf(fences);
  const entries = groupsOf(shown).flatMap((group): Entry[] => [
    ...(groups.length > 1 ? [{ group }] : []),
    ...group.fences.map((fence) => ({ fence })),
  ]);

  return (
    <div className={css.panel}>
      <header className={css.head}>
        <div className={css.titleRow}>
          <h1 className={css.title}>{words.title}</h1>
          <span className={css.gap} />
          <ButtonLink href="/geofences/new" kind="primary" size="small" icon="plus" shrinks>
            {words.add}
          </ButtonLink>
          <Menu
            label={words.more}
            items={[
              { label: words.importFile, icon: 'upload', onPress: onImport },
              ...(shown.length > 0 ? [{ label: words.exportFile, icon: 'download' as const, onPress: onExport }] : []),
            ]}
            button={(props) => <IconButton icon="more" size="small" label={words.more} {...props} />}
          />
        </div>
        {fences.length > 0 && (
          <SearchField label={words.search} value={search.get('q') ?? ''} onChange={(text) => narrow('q', text)} />
        )}
        <div>
          <ButtonLink href="/geofences/lists" size="small" icon="list">
            {t.geofenceLists.open}
          </ButtonLink>
        </div>
        {groups.length > 1 && (
          <div className={css.chips}>
            <button
              type="button"
              className={classes(css.chip, wanted === null && css.on)}
              aria-pressed={wanted === null}
              onClick={() => narrow('group', null)}
            >
              {words.allGroups}
            </button>
            {groups.map(({ key, label, color, fences: members }) => (
              <button
                key={key}
                type="button"
                className={classes(css.chip, wanted === key && css.on)}
                aria-pressed={wanted === key}
                onClick={() => narrow('group', wanted === key ? null : key)}
              >
                <ColorDot color={color ?? null} />
                {label}
                <span className={css.soft}>{members.length}</span>
              </button>
            ))}
          </div>
        )}
      </header>
      <div className={css.rows}>
        {fences.length === 0 ? (
          <EmptyState
            icon="fence"
            title={words.emptyTitle}
            action={
              <div className={css.twoWays}>
                <ButtonLink href="/geofences/new" kind="primary" icon="circle">
                  {words.addCircle}
                </ButtonLink>
                <ButtonLink href="/geofences/new?shape=polygon" icon="polygon">
                  {words.addPolygon}
                </ButtonLink>
              </div>
            }
          >
            {words.emptyText}
          </EmptyState>
        ) : entries.length === 0 ? (
          <EmptyState icon="search" title={words.nothingFound}>
            {words.nothingFoundText}
          </EmptyState>
        ) : (
          <WindowList
            items={entries}
            rowHeight={ROW_PX}
            label={words.list}
            itemKey={(entry) => ('group' in entry ? `group ${entry.group.key}` : entry.fence.id)}
          >
            {(entry) => ('group' in entry ? <GroupRow group={entry.group} /> : <FenceRow fence={entry.fence} />)}
          </WindowList>
        )}
      </div>
    </div>
  );
}

const GroupRow = ({ group }: { group: Group }) => <h2 className={css.groupRow}>{group.label}</h2>;

const ICONS = { circle: 'circle', polygon: 'polygon', corridor: 'route' } as const;

function FenceRow({ fence }: { fence: Geofence }) {
  const shape = shapeOf(fence);
  const format = useFormat();
  const about =
    shape === undefined
      ? words.shapeless
      : shape.kind === 'circle'
        ? words.circleOf({ radius: format.distance(shape.radius) })
        : shape.kind === 'corridor'
          ? words.corridorOf({ width: format.distance(shape.widthM) })
          : words.polygonOf({ corners: shape.outline.length });
  return (
    <Link href={`/geofences/${fence.id}`} className={css.fenceRow}>
      <span className={css.mark} style={{ color: colorOf(fence) ?? 'var(--fence)' }}>
        <Icon name={ICONS[shape?.kind ?? 'circle']} size={20} />
      </span>
      <span className={css.names}>
        <span className={css.name}>{nameOf(fence)}</span>
        <span className={css.soft}>
          {about}
          {fence.deviceId !== null && ` · ${words.forOne}`}
        </span>
      </span>
      <Icon name="right" size={16} />
    </Link>
  );
}
