import 'maplibre-gl/dist/maplibre-gl.css';
import './map-view.css';
import { AttributionControl, LngLatBounds, Map as MapLibre, ScaleControl, setWorkerUrl } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { shownTheme, usePreferences } from '../preferences.ts';
import { useStore } from '../store.ts';
import type { Units } from '../units.ts';
import { landStyle } from './basemap.ts';
import { type Dressed, dress, satelliteLayers, showSatellite } from './ground/dress.ts';
import { GroundNotice } from './ground/ground-notice.tsx';
import { type Background, groundFor } from './ground/grounds.ts';
import { groundGrid } from './ground-grid.ts';
import type { MapPart } from './map-part.ts';
import css from './map-view.module.css';
import { mapOverlay } from './overlay.ts';

setWorkerUrl(workerUrl);

export type MapStart =
  | { readonly center: [lng: number, lat: number]; readonly zoom: number }
  | { readonly bounds: readonly [[west: number, south: number], [east: number, north: number]] };

const FADE_MS = 120;
const SCALE_PX = 110;
/** In a narrower map, the open sources would cover the scale. */
const NARROW_PX = 480;
const METRES_AROUND = 40_075_017;
const METRES_PER_MILE = 1609.344;
const WORLD: MapStart = { center: [10, 32], zoom: 1.6 };

export interface MapProps {
  readonly label: string;
  readonly parts: readonly MapPart[];
  /** The initial view. */
  readonly start?: MapStart;
  /** Called once with the map, and with undefined when it is removed. */
  readonly onMap?: (map: MapLibre | undefined) => void;
}

/**
 * A map that fills its container, on the given background. Parts are added after each load of a style, so also when the
 * theme changes; their identity must be stable between renderings.
 */
export function DrawnMap({
  label,
  parts,
  start = WORLD,
  onMap,
  background: { maps, isKnown, overlay, isRegionAlone = false },
  menu,
  children,
}: MapProps & {
  background: Background;
  /** The menu of its layers, above the map. */
  menu?: (shown: string, hasSatellite: boolean) => ReactNode;
  /** Shown above the map. */
  children?: ReactNode;
}) {
  const place = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<MapLibre>();
  const [styled, setStyled] = useState<Dressed>();
  /** Whether the map has its ground, and not just the color of land. */
  const isDressed = useRef(false);
  const [attempt, setAttempt] = useState(0);
  const [satellite, setSatellite] = useState<readonly string[]>([]);
  const theme = useStore(shownTheme);
  const { units, ground: chosen, showsSatellite } = usePreferences();
  const { distance, length } = units;
  const ground = useMemo(() => groundFor(maps, chosen), [maps, chosen]);
  const hosts = maps?.hosts;

  // biome-ignore lint/correctness/useExhaustiveDependencies: A retry does the same again.
  useEffect(() => {
    if (!map || !isKnown) return;
    let isStale = false;
    isDressed.current = false;
    // Parts stay on the map while a style is loaded, and leave it before the style is replaced.
    const leave = () => flushSync(() => setStyled(undefined));
    void dress(map, { ground, theme, isRegionAlone, hosts: hosts ?? [] }, leave).then((dressed) => {
      if (isStale || dressed === undefined) return;
      isDressed.current = true;
      setStyled(dressed);
      setSatellite(dressed.kind === 'style' ? satelliteLayers(map) : []);
    });
    return () => {
      isStale = true;
    };
  }, [map, isKnown, ground, isRegionAlone, hosts, theme, attempt]);

  useEffect(() => {
    if (map && satellite.length > 0 && showsSatellite !== undefined) showSatellite(map, satellite, showsSatellite);
  }, [map, satellite, showsSatellite]);

  useEffect(() => {
    if (!map || !styled) return;
    const below = [
      ...(styled.kind === 'world' ? [groundGrid(styled.theme)] : []),
      ...(overlay ? [mapOverlay(overlay)] : []),
    ];
    const all = [...below, ...parts];
    const ends = all.map((part) => part(map, styled.theme));
    return () => {
      for (const end of ends.reverse()) end();
    };
  }, [map, styled, parts, overlay]);

  useEffect(() => {
    if (!map) return;
    const scale = new ScaleControl({ maxWidth: SCALE_PX });
    const choose = () => scale.setUnit(scaleUnit(map, { distance, length }));
    choose();
    map.addControl(scale, 'bottom-left');
    map.on('zoomend', choose);
    return () => {
      map.off('zoomend', choose);
      if (map.hasControl(scale)) map.removeControl(scale);
    };
  }, [map, distance, length]);

  // The last effect, because it is cleaned up last: parts need a map that still exists.
  // biome-ignore lint/correctness/useExhaustiveDependencies: A map is made once; where it starts does not move it later.
  useEffect(() => {
    const made = new MapLibre({
      container: place.current!,
      // The color of land, shown behind the parts until a ground is loaded.
      style: landStyle(theme),
      ...('center' in start ? { center: start.center, zoom: start.zoom } : {}),
      attributionControl: false,
      // Flat and north up.
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      maxPitch: 0,
      maxZoom: 19,
      // No animation of labels for viewers who prefer reduced motion.
      fadeDuration: matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : FADE_MS,
    });
    if ('bounds' in start)
      made.fitBounds(new LngLatBounds(...start.bounds), { padding: 48, animate: false, maxZoom: 16 });
    made.touchZoomRotate.disableRotation();
    made.keyboard.disableRotation();
    made.addControl(new AttributionControl({ compact: true }), 'bottom-right');
    // MapLibre opens it unless it is compact already.
    if (made.getContainer().clientWidth < NARROW_PX)
      made.getContainer().querySelector('.maplibregl-ctrl-attrib')?.classList.add('maplibregl-compact');
    const busy = (isBusy: boolean) => place.current?.setAttribute('aria-busy', String(isBusy));
    made.on('dataloading', () => busy(true));
    made.on('idle', () => busy(!isDressed.current || !made.isStyleLoaded()));
    made.once('style.load', () => setStyled({ kind: 'region', theme, hasFailed: false, foreign: [] }));
    setMap(made);
    onMap?.(made);
    return () => {
      onMap?.(undefined);
      setMap(undefined);
      setStyled(undefined);
      made.remove();
    };
  }, []);

  return (
    <div className={css.frame}>
      <section ref={place} className={css.map} aria-label={label} aria-busy="true" />
      {map && menu?.(styled?.hasFailed ? 'world' : ground.key, satellite.length > 0)}
      {styled && <GroundNotice dressed={styled} onRetry={() => setAttempt((count) => count + 1)} />}
      {children}
    </div>
  );
}

/** The scale has feet below a mile. Who measures short ways in metres gets those instead. */
function scaleUnit(map: MapLibre, { distance, length }: Pick<Units, 'distance' | 'length'>): 'metric' | 'imperial' {
  if (distance === length) return distance;
  const metres =
    (SCALE_PX * METRES_AROUND * Math.cos((map.getCenter().lat * Math.PI) / 180)) / (512 * 2 ** map.getZoom());
  return metres < METRES_PER_MILE ? length : distance;
}
