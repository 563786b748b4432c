import type { Map as MapLibre } from 'maplibre-gl';
import type { Theme } from './colors.ts';

/** A map on the page. Pages hand it to the functions of camera.ts, which know the library. */
export type { MapLibre };

/** Something on the map: puts its sources, layers and listeners there, and returns how to take them off again. */
export type MapPart = (map: MapLibre, theme: Theme) => () => void;
