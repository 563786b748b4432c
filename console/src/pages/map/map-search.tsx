import { useMemo, useState } from 'react';
import { useFleet } from '../../api/live/fleet.ts';
import { type FleetDevice, nowOf } from '../../api/live/fleet-device.ts';
import { wordOfNow } from '../../forms/device-now.ts';
import { usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { classes } from '../../ui/class-names.ts';
import { SearchField } from '../../ui/fields/search-field.tsx';
import marks from './fleet-counts.module.css';
import css from './map-search.module.css';

const MOST = 40;

export function MapSearch({ onChoose }: { onChoose: (id: number) => void }) {
  const [text, setText] = useState('');
  const { devices, version } = useFleet();
  const { offlineAfterMin } = usePreferences();
  // biome-ignore lint/correctness/useExhaustiveDependencies: The fleet changes in place; its version tells that it did.
  const found = useMemo(() => matching(devices.values(), text), [devices, version, text]);
  const now = Date.now();
  return (
    <search className={css.search}>
      <div className={css.field}>
        <SearchField label={t.map.search} value={text} onChange={setText} />
      </div>
      {text.trim() !== '' && (
        <ul className={css.results} aria-label={t.map.results}>
          {found.length === 0 && <li className={css.none}>{t.map.noResults}</li>}
          {found.slice(0, MOST).map((device) => {
            const doing = nowOf(device, now, offlineAfterMin);
            return (
              <li key={device.id}>
                <button
                  type="button"
                  className={css.result}
                  onClick={() => {
                    onChoose(device.id);
                    setText('');
                  }}
                >
                  <span className={classes(marks.mark, marks[doing.state])} />
                  <span className={css.name}>{device.name}</span>
                  <span className={css.state}>{device.lat === undefined ? t.map.noPosition : wordOfNow(doing)}</span>
                </button>
              </li>
            );
          })}
          {found.length > MOST && <li className={css.none}>{t.map.moreResults(found.length - MOST)}</li>}
        </ul>
      )}
    </search>
  );
}

/** Every word must be somewhere; what begins with the text comes first. */
function matching(devices: Iterable<FleetDevice>, text: string): FleetDevice[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const words = wanted.split(/\s+/);
  const found: FleetDevice[] = [];
  for (const device of devices) {
    const said = `${device.name} ${device.type ?? ''} ${device.tags.join(' ')}`.toLowerCase();
    if (words.every((word) => said.includes(word))) found.push(device);
  }
  const rank = ({ name }: FleetDevice) => (name.toLowerCase().startsWith(wanted) ? 0 : 1);
  return found.sort(
    (one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name, undefined, { numeric: true }),
  );
}
