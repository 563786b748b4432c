import { useState } from 'react';
import { t } from '../../texts/t.ts';
import { IconButton } from '../../ui/button.tsx';
import { ComboField } from '../../ui/fields/combo-field.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { MapLibre } from '../map-part.ts';
import { usePlaceOnMap } from './place-on-map.ts';
import css from './place-search.module.css';
import { usePlaceSearch } from './use-place-search.ts';

/** A button on a map that opens a search for places. */
export function PlaceSearch({ map }: { map: MapLibre }) {
  const [isOpen, setOpen] = useState(false);
  return isOpen ? (
    <Search map={map} onClose={() => setOpen(false)} />
  ) : (
    <div className={css.button}>
      <IconButton icon="search" label={t.map.searchPlaces} onClick={() => setOpen(true)} />
    </div>
  );
}

function Search({ map, onClose }: { map: MapLibre; onClose: () => void }) {
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState<string>();
  const { found, more, isSearching } = usePlaceSearch(query, map);
  const show = usePlaceOnMap(map);
  return (
    <search className={css.search}>
      <ComboField
        label={t.map.searchPlaces}
        hidesLabel
        autoFocus
        placeholder={t.map.searchPlaces}
        nothing={query.trim() === '' ? t.map.typePlace : isSearching ? t.map.searching : t.map.noPlaces}
        chosen={chosen === undefined ? undefined : { value: -1, label: chosen }}
        onChange={(choice) => {
          const place = choice && found[choice.value];
          show(place);
          setChosen(place?.name);
        }}
        query={query}
        onQuery={setQuery}
        choices={found.map(({ name }, value) => ({ value, label: name, mark: <Icon name="pin" size={16} /> }))}
        more={more}
      />
      <IconButton icon="close" label={t.map.close} onClick={onClose} />
    </search>
  );
}
