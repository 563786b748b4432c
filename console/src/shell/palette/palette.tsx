import { type KeyboardEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { useDevices } from '../../api/devices.ts';
import { t } from '../../texts/t.ts';
import { classes } from '../../ui/class-names.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { IconName } from '../../ui/icons.ts';
import css from './palette.module.css';

const words = t.palette;
const MOST_DEVICES = 8;

interface Entry {
  readonly label: string;
  readonly icon: IconName;
  readonly href: string;
  /** Other search words. */
  readonly also?: string;
}

/** Common tasks. */
const TASKS: readonly Entry[] = [
  { label: t.devices.add, icon: 'plus', href: '/welcome' },
  { label: t.historyImport.title, icon: 'history', href: '/devices?import=history', also: 'gpx kml geojson csv' },
  { label: t.deviceList.import, icon: 'upload', href: '/devices?import=devices', also: 'csv' },
  { label: t.alerts.add, icon: 'plus', href: '/alerts/new' },
  { label: t.geofences.form.newTitle, icon: 'plus', href: '/geofences/new' },
  { label: t.savedReports.title, icon: 'clock', href: '/reports/saved' },
  { label: t.settings.language, icon: 'settings', href: '/settings', also: 'km mi °C °F' },
];

/** Finds a page, a task or a device by a few letters. */
export default function Palette({ pages, onClose }: { pages: readonly Entry[]; onClose: () => void }) {
  const [, navigate] = useLocation();
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const wanted = query.trim();
  const found = useDevices(
    { where: { name: { ilike: `%${wanted.replace(/[\\%_]/g, '\\$&')}%` } }, order: 'name ASC', limit: MOST_DEVICES },
    { enabled: wanted !== '', keepsPrevious: true },
  );
  const letters = wanted.toLowerCase();
  const fits = ({ label, also = '' }: Entry) => `${label}\n${also}`.toLowerCase().includes(letters);
  // Tasks are shown only for a search, because the full list is long.
  const fitting = [...pages, ...(wanted === '' ? [] : TASKS)].filter(fits);
  const devices = wanted === '' ? [] : (found.data ?? []);
  const entries: Entry[] = [
    ...fitting,
    ...devices.map((device) => ({
      label: device.name || words.unnamed({ id: device.id }),
      icon: 'device' as const,
      href: `/devices/${device.id}`,
    })),
  ];
  const at = Math.min(chosen, entries.length - 1);
  const go = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    navigate(entry.href);
  };
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || entries.length === 0) return;
    event.preventDefault();
    setChosen((at + step + entries.length) % entries.length);
  };
  return (
    <Dialog title={words.title} onClose={onClose} onSubmit={() => go(entries[at])}>
      <input
        className={css.search}
        type="search"
        role="combobox"
        aria-label={words.search}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={entries.length > 0 ? `${id}-${at}` : undefined}
        placeholder={words.search}
        autoComplete="off"
        autoFocus
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setChosen(0);
        }}
        onKeyDown={move}
      />
      <div id={`${id}-list`} role="listbox" aria-label={words.results} className={css.list}>
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: Keys work in the field.
          // biome-ignore lint/a11y/useFocusableInteractive: The field has the focus.
          <div
            key={entry.href}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            className={classes(css.entry, index === at && css.chosen)}
            onClick={() => go(entry)}
          >
            <Icon name={entry.icon} size={18} />
            <span>{entry.label}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && !found.isFetching && <p role="status">{words.none}</p>}
    </Dialog>
  );
}
