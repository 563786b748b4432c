import 'maplibre-gl/dist/maplibre-gl.css';
import './map-view.css';
import { AttributionControl, LngLatBounds, Map as MapLibre, ScaleControl, setWorkerUrl } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useServerInfo } from '../api/server-info.ts';
import { shownTheme, usePreferences } from '../preferences.ts';
import { useStore } from '../store.ts';
import type { Units } from '../units.ts';
import { offlineStyle, placesOfWorld } from './basemap.ts';
import type { Theme } from './colors.ts';
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
const METRES_AROUND = 40_075_017;
const METRES_PER_MILE = 1609.344;
const WORLD: MapStart = { center: [10, 32], zoom: 1.6 };

/**
 * A map that fills its container. Parts are put on it after each load of a style, so also when the theme changes; they
 * must stay the same from one rendering to the next.
 */
export function MapView({
  label,
  parts,
  start = WORLD,
  onMap,
  children,
}: {
  label: string;
  parts: readonly MapPart[];
  /** Where it looks at first. */
  start?: MapStart;
  /** Called once with the map, and with undefined when it goes. */
  onMap?: (map: MapLibre | undefined) => void;
  /** Shown above it. */
  children?: ReactNode;
}) {
  const place = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<MapLibre>();
  const [styled, setStyled] = useState<{ theme: Theme; isOwn: boolean }>();
  const theme = useStore(shownTheme);
  const { distance, length } = usePreferences().units;
  const info = useServerInfo();
  const overlay = info.data?.mapOverlay;
  const mapStyle = info.data?.mapStyle ?? (info.isError ? '' : undefined);

  useEffect(() => {
    if (!map || mapStyle === undefined) return;
    let isStale = false;
    setStyled(undefined);
    void dress(map, mapStyle, theme).then((isOwn) => {
      if (!isStale && isOwn !== undefined) setStyled({ theme, isOwn });
    });
    return () => {
      isStale = true;
    };
  }, [map, mapStyle, theme]);

  useEffect(() => {
    if (!map || !styled) return;
    const ground = [...(styled.isOwn ? [groundGrid(styled.theme)] : []), ...(overlay ? [mapOverlay(overlay)] : [])];
    const all = [...ground, ...parts];
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

  // The last effect, since it is undone last: parts leave a map that is still there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: A map is made once; where it starts does not move it later.
  useEffect(() => {
    const made = new MapLibre({
      container: place.current!,
      style: { version: 8, sources: {}, layers: [] },
      ...('center' in start ? { center: start.center, zoom: start.zoom } : {}),
      attributionControl: false,
      // Flat and north up: what moves is the fleet.
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      maxPitch: 0,
      maxZoom: 19,
      // Who asked for less motion sees labels at once.
      fadeDuration: matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : FADE_MS,
    });
    if ('bounds' in start)
      made.fitBounds(new LngLatBounds(...start.bounds), { padding: 48, animate: false, maxZoom: 16 });
    made.touchZoomRotate.disableRotation();
    made.keyboard.disableRotation();
    made.addControl(new AttributionControl({ compact: true }), 'bottom-right');
    // On its way while the server is asked for a style; panels name the nearest place by it in any case.
    void placesOfWorld().catch(() => undefined);
    const busy = (isBusy: boolean) => place.current?.setAttribute('aria-busy', String(isBusy));
    made.on('dataloading', () => busy(true));
    made.on('idle', () => busy(!made.isStyleLoaded() || made.getStyle().layers.length === 0));
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

/** Puts a style on the map: the one of the settings, or the bundled one if that cannot be loaded. */
async function dress(map: MapLibre, mapStyle: string, theme: Theme): Promise<boolean | undefined> {
  if (mapStyle !== '') {
    try {
      const answer = await fetch(mapStyle);
      if (answer.ok) {
        await settled(map, await answer.json());
        return false;
      }
    } catch {
      // Without the internet the bundled map is there.
    }
  }
  try {
    await settled(map, await offlineStyle(theme));
    return true;
  } catch {
    return undefined;
  }
}

function settled(map: MapLibre, style: Parameters<MapLibre['setStyle']>[0]): Promise<void> {
  return new Promise((resolve) => {
    map.once('style.load', () => resolve());
    map.setStyle(style, { diff: false });
  });
}
