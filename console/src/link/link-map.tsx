import { QueryClientProvider } from '@tanstack/react-query';
import type { ShownLink } from '@trackway/contract/resources/link.ts';
import { useEffect, useMemo, useRef } from 'react';
import { queryClient } from '../api/client.ts';
import { useNow } from '../format/use-format.ts';
import type { LatLng } from '../geo/place.ts';
import { createLinkLayer } from '../map/link-layer.ts';
import { type MapStart, MapView } from '../map/map-view.tsx';
import { t } from '../texts/t.ts';
import { Icon } from '../ui/icon.tsx';
import css from './link.module.css';
import { markOf } from './mark-of.ts';

const words = t.publicLink;

const ZOOM = 14;

/** The same map as in the console, loaded after the text content of the page. */
export default function LinkMap({
  shown,
  name,
  aheadMs,
  goTo,
}: {
  shown: ShownLink;
  name: string;
  aheadMs: number;
  goTo?: LatLng;
}) {
  const layer = useMemo(() => createLinkLayer(), []);
  const parts = useMemo(() => [layer.part], [layer]);
  const first = shown.devices.find(({ position }) => position !== null)?.position ?? shown.destination;
  const start = useRef<MapStart | undefined>(first ? { center: [first.lng, first.lat], zoom: ZOOM } : undefined);
  const now = useNow(15_000) + aheadMs;
  useEffect(() => {
    const isNamed = shown.isOfGroup;
    const here = shown.devices.flatMap(({ name, position }) =>
      position ? [{ ...position, name: isNamed ? (name ?? '') : '', state: markOf(position, now) }] : [],
    );
    layer.show({ here, trails: shown.devices.map(({ trail }) => trail), destination: shown.destination });
  }, [layer, shown, now]);
  useEffect(() => {
    if (goTo) layer.goTo(goTo);
  }, [layer, goTo]);
  return (
    <QueryClientProvider client={queryClient}>
      <MapView label={words.mapLabel({ name })} parts={parts} start={start.current}>
        <button type="button" className={css.center} aria-label={words.center} onClick={() => layer.fit()}>
          <Icon name="target" />
        </button>
      </MapView>
    </QueryClientProvider>
  );
}
