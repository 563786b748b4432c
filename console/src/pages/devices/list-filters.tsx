import { branchesOf, type DeviceGroup } from '../../api/many/groups.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Chip, Chips } from '../../ui/chips.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { FilterBar } from '../../ui/fields/filter-bar.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import css from './devices.module.css';
import { BATTERIES, COLUMNS } from './listing.ts';
import { anyOf } from './tag-filter.ts';
import type { Shown } from './wish-query.ts';

const STATES = ['moving', 'stopped', 'offline'] as const;
const words = t.deviceList;

interface FilterProps {
  readonly wish: Shown;
  readonly onChange: (change: Partial<Shown>) => void;
}

/** The filters of the list, and its columns. */
export function ListFilters({
  wish,
  onChange,
  tagChoices,
  groups,
}: FilterProps & { tagChoices: readonly string[]; groups: readonly DeviceGroup[] }) {
  const { states, batteries, tags, group } = wish;
  return (
    <FilterBar
      count={states.length + batteries.length + tags.length + (group === undefined ? 0 : 1)}
      onClear={() => onChange({ states: [], batteries: [], tags: [], group: undefined })}
    >
      <SelectField
        label={words.status}
        value=""
        onChange={(state) => onChange({ states: STATES.filter((one) => one === state || states.includes(one)) })}
        choices={[
          { value: '', label: words.anyStatus },
          ...STATES.filter((one) => !states.includes(one)).map((value) => ({ value, label: t.map[value] })),
        ]}
      />
      <SelectField
        label={words.battery}
        value=""
        onChange={(kind) => onChange({ batteries: BATTERIES.filter((one) => one === kind || batteries.includes(one)) })}
        choices={[
          { value: '', label: words.anyBattery },
          ...BATTERIES.filter((one) => !batteries.includes(one)).map((value) => ({
            value,
            label: words.batteries[value],
          })),
        ]}
      />
      {tagChoices.length > 0 && (
        <SelectField
          label={words.tags}
          value=""
          onChange={(tag) => tag !== '' && onChange({ tags: [...tags, tag] })}
          choices={[
            { value: '', label: words.anyTag },
            ...tagChoices.filter((tag) => !tags.includes(tag)).map((tag) => ({ value: tag, label: tagInWords(tag) })),
          ]}
        />
      )}
      {groups.length > 0 && (
        <SelectField
          label={words.group}
          value=""
          onChange={(id) => id !== '' && onChange({ group: Number(id) })}
          choices={[
            { value: '', label: words.anyGroup },
            ...branchesOf(groups)
              .filter(({ group: { id } }) => id !== group)
              .map(({ group: { id, name }, level }) => ({
                value: String(id),
                label: `${'\u2003'.repeat(level)}${name}`,
              })),
          ]}
        />
      )}
      <FilterChips {...{ wish, onChange, groups }} />
    </FilterBar>
  );
}

/** Which columns the list shows. On a phone, there is no room for more than those it has. */
export function ColumnMenu({ wish: { columns }, onChange }: FilterProps) {
  return (
    <span className={css.columnMenu}>
      <Menu
        label={words.columns}
        items={COLUMNS.filter((column) => column !== 'name').map((column) => ({
          label: columnName(column),
          isOn: columns.includes(column),
          onPress: () =>
            onChange({
              columns: COLUMNS.filter((one) => (one === column ? !columns.includes(one) : columns.includes(one))),
            }),
        }))}
        button={(props) => (
          <Button icon="list" {...props}>
            {words.columns}
          </Button>
        )}
      />
    </span>
  );
}

export const columnName = (column: (typeof COLUMNS)[number]) =>
  column === 'place' || column === 'plate' || column === 'type' || column === 'tags' || column === 'groups'
    ? words[column]
    : t.devices[column];

/** The active filters, each removable by a press. */
function FilterChips({ wish, onChange, groups }: FilterProps & { groups: readonly DeviceGroup[] }) {
  const { states, batteries, tags, group } = wish;
  const chosen = [
    ...states.map((state) => ({
      label: t.map[state],
      end: () => onChange({ states: states.filter((one) => one !== state) }),
    })),
    ...batteries.map((kind) => ({
      label: `${words.battery}: ${words.batteries[kind]}`,
      end: () => onChange({ batteries: batteries.filter((one) => one !== kind) }),
    })),
    ...tags.map((tag) => ({
      label: tagInWords(tag),
      end: () => onChange({ tags: tags.filter((one) => one !== tag) }),
    })),
    ...(group === undefined
      ? []
      : [
          {
            label: `${words.group}: ${groups.find(({ id }) => id === group)?.name ?? t.rules.goneGroup}`,
            end: () => onChange({ group: undefined }),
          },
        ]),
  ];
  if (chosen.length === 0) return null;
  return (
    <div className={css.filters}>
      <Chips label={t.devices.filters}>
        {chosen.map(({ label, end }) => (
          <Chip key={label} isOn onPress={end}>
            <span className="unseen">{t.devices.endFilter({ tag: label })}</span>
            <span aria-hidden="true">{label}</span>
            <Icon name="close" size={14} />
          </Chip>
        ))}
      </Chips>
    </div>
  );
}

function tagInWords(tag: string): string {
  const name = anyOf(tag);
  return name === undefined ? tag : t.devices.anyValue({ name });
}
