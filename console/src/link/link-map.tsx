import type { ShownLink } from '@trackway/contract/resources/link.ts';
import { useEffect, useMemo, useRef, useState } from 'react';
import { chosenAlone, readServerInfo } from '../api/public-maps.ts';
import { useNow } from '../format/use-format.ts';
import { isWithin, type LatLng } from '../geo/place.ts';
import { DrawnMap, type MapStart } from '../map/drawn-map.tsx';
import type { Background } from '../map/ground/grounds.ts';
import { createLinkLayer } from '../map/link-layer.ts';
import { t } from '../texts/t.ts';
import { Icon } from '../ui/icon.tsx';
import css from './link.module.css';
import { markOf } from './mark-of.ts';

const words = t.publicLink;

const ZOOM = 14;

/** The bundled map, if the server can't be asked for another. */
const UNKNOWN: Background = { maps: undefined, isKnown: true };

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
  const [background, setBackground] = useState<Background>({ maps: undefined, isKnown: false });
  // biome-ignore lint/correctness/useExhaustiveDependencies: The background stays while the device moves.
  useEffect(() => {
    readServerInfo()
      .then((info) => ({
        maps: chosenAlone(info),
        isKnown: true,
        overlay: info.mapOverlay,
        isRegionAlone: !!first && !!info.mapFile && isWithin(first, info.mapFile.bounds),
      }))
      .catch(() => UNKNOWN)
      .then(setBackground);
  }, []);
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
    <DrawnMap label={words.mapLabel({ name })} parts={parts} background={background} start={start.current}>
      <button type="button" className={css.center} aria-label={words.center} onClick={() => layer.fit()}>
        <Icon name="target" />
      </button>
    </DrawnMap>
  );
}
