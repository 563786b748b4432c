import type { Map as MapLibre } from 'maplibre-gl';
import type { Theme } from './colors.ts';

/** A map of the page. Only functions such as in camera.ts use the library behind it. */
export type { MapLibre };

/** A part of a map: adds its sources, layers and listeners, and returns a function that removes them. */
export type MapPart = (map: MapLibre, theme: Theme) => () => void;
