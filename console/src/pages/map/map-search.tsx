import { useMemo, useState } from 'react';
import { useFleet } from '../../api/live/fleet.ts';
import { type FleetDevice, nowOf } from '../../api/live/fleet-device.ts';
import { wordOfNow } from '../../forms/device-now.ts';
import type { MapLibre } from '../../map/map-part.ts';
import { usePlaceOnMap } from '../../map/search/place-on-map.ts';
import { usePlaceSearch } from '../../map/search/use-place-search.ts';
import { usePreferences } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { classes } from '../../ui/class-names.ts';
import { SearchField } from '../../ui/fields/search-field.tsx';
import { Icon } from '../../ui/icon.tsx';
import marks from './fleet-counts.module.css';
import css from './map-search.module.css';

const MOST = 40;

export function MapSearch({ map, onChoose }: { map: MapLibre | undefined; onChoose: (id: number) => void }) {
  const [text, setText] = useState('');
  const { devices, version } = useFleet();
  const { offlineAfterMin } = usePreferences();
  // biome-ignore lint/correctness/useExhaustiveDependencies: The fleet changes in place; its version changes with it.
  const found = useMemo(() => matching(devices.values(), text), [devices, version, text]);
  const places = usePlaceSearch(text, map);
  const show = usePlaceOnMap(map);
  const now = Date.now();
  const isNothing = found.length === 0 && places.found.length === 0;
  return (
    <search className={css.search}>
      <form
        className={css.field}
        onSubmit={(event) => {
          event.preventDefault();
          places.more?.onPress();
        }}
      >
        <SearchField
          label={t.map.search}
          value={text}
          onChange={(next) => {
            setText(next);
            if (next === '') show(undefined);
          }}
        />
      </form>
      {text.trim() !== '' && (
        <ul className={css.results} aria-label={t.map.results}>
          {isNothing && <li className={css.none}>{places.isSearching ? t.map.searching : t.map.noResults}</li>}
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
          {found.length > MOST && <li className={css.none}>{t.map.moreResults({ count: found.length - MOST })}</li>}
          {places.found.map((place) => (
            <li key={`${place.name} ${place.lat} ${place.lng}`}>
              <button
                type="button"
                className={css.result}
                onClick={() => {
                  show(place);
                  setText('');
                }}
              >
                <Icon name="pin" size={16} />
                <span className={css.name}>{place.name}</span>
              </button>
            </li>
          ))}
          {places.more && (
            <li>
              <button type="button" className={css.result} onClick={places.more.onPress}>
                <Icon name="search" size={16} />
                <span className={css.name}>{places.more.label}</span>
              </button>
            </li>
          )}
          {places.credit && <li className={css.none}>{places.credit}</li>}
        </ul>
      )}
    </search>
  );
}

/** Every word must match; names that start with the text come first. */
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
