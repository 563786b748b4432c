import { useState } from 'react';
import { type Geofence, useGeofences } from '../../api/geofences.ts';
import type { LatLng } from '../../geo/place.ts';
import { type NamedPlace, usePlaceSearch } from '../../map/search/use-place-search.ts';
import { t } from '../../texts/t.ts';
import { ComboField } from '../../ui/fields/combo-field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { placeInText } from '../set-place.ts';

const words = t.links;
const MOST = 8;

type Destination = NamedPlace;

/** A place by its name: a geofence of the viewer, a town or an address, or else by its coordinates. */
export function DestinationField({
  name,
  onChange,
}: {
  /** What is chosen. */
  name: string;
  onChange: (destination: Destination | undefined) => void;
}) {
  const [query, setQuery] = useState('');
  const fences = useGeofences({ limit: 2000 });
  const wanted = query.trim().toLowerCase();
  const search = usePlaceSearch(query);
  const typed = placeInText(query);
  const found: Destination[] = typed
    ? [{ ...typed, name: query.trim() }]
    : [
        ...(fences.data ?? []).flatMap(ofFence).filter((one) => one.name.toLowerCase().includes(wanted)),
        ...search.found,
      ].slice(0, MOST);
  return (
    <ComboField
      label={words.destination}
      hint={words.destinationHint}
      nothing={search.isSearching ? t.map.searching : words.noDestination}
      more={search.more}
      chosen={name === '' ? undefined : { value: -1, label: name }}
      onChange={(choice) => onChange(choice && found[choice.value])}
      query={query}
      onQuery={setQuery}
      choices={found.map((one, value) => ({ value, label: one.name, mark: <Icon name="pin" size={16} /> }))}
    />
  );
}

function ofFence({ name, outline, center }: Geofence): Destination[] {
  const corners = outline ?? [];
  const middle = (of: (place: LatLng) => number) => corners.reduce((sum, one) => sum + of(one), 0) / corners.length;
  const place = corners.length > 0 ? { lat: middle(({ lat }) => lat), lng: middle(({ lng }) => lng) } : center;
  return name && place ? [{ name, lat: place.lat, lng: place.lng }] : [];
}
