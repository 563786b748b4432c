import type { Map as MapLibre } from 'maplibre-gl';
import {
  type GeoJSONStoreFeatures,
  type HexColor,
  TerraDraw,
  TerraDrawCircleMode,
  TerraDrawLineStringMode,
  TerraDrawPolygonMode,
  TerraDrawSelectMode,
} from 'terra-draw';
import { TerraDrawMapLibreGLAdapter } from 'terra-draw-maplibre-gl-adapter';
import { colorsOf, type Theme } from '../colors.ts';
import type { DrawBoard } from './draw-board.ts';
import { corridorArea } from './draw-corridor.ts';
import { removingByTouch } from './draw-hold.ts';
import { circleOfRing, corridorOf, type FenceShape, outlineOfRing, polygonOf, ringOf } from './draw-shape.ts';

const CORNERS = 64;
/** Every so many vertices of a circle have a handle; its edge can be dragged anywhere. */
const HANDLE_EVERY = CORNERS / 8;
const DIGITS = 9;

/** Draws and edits the one shape of a board. Changes in the form are drawn at once, and drawing updates the form. */
export function fenceDrawing(board: DrawBoard): (map: MapLibre, theme: Theme) => () => void {
  return (map, theme) => {
    const draw = new TerraDraw({
      adapter: new TerraDrawMapLibreGLAdapter({ map, coordinatePrecision: DIGITS, prefixId: 'fence-draw' }),
      modes: modesOf(board, colorsOf(theme).surface as HexColor),
    });
    draw.start();
    const area = corridorArea(map, board);
    const holding = removingByTouch(map, board);
    let shown: FenceShape | undefined;
    let tool: string | undefined;

    /** Updates the map from the board. */
    const follow = () => {
      const now = board.get();
      if (now.shape === shown && now.tool === tool) return;
      shown = now.shape;
      tool = now.tool;
      if (now.tool !== 'edit') {
        draw.clear();
        draw.setMode(now.tool === 'corridor' ? 'linestring' : now.tool);
        return;
      }
      draw.setMode('select');
      draw.clear();
      if (now.shape === undefined) return;
      const [added] = draw.addFeatures([featureOf(now.shape)]);
      if (added?.valid && added.id !== undefined) draw.selectFeature(added.id);
    };

    const finished = (id: string | number) => {
      const feature = draw.getSnapshotFeature(id);
      const shape = feature && shapeOfFeature(feature, board.get().widthM);
      if (shape) board.set((now) => ({ ...now, tool: 'edit', shape, draft: undefined }));
    };
    const changed = () => {
      const drawn = draw.getSnapshot().find(({ geometry }) => geometry.type === 'Polygon');
      const draft = drawn && shapeOfFeature(drawn, board.get().widthM);
      board.set((now) => ({ ...now, draft }));
    };
    draw.on('finish', finished);
    draw.on('change', changed);
    // Changing the board while Terra Draw handles the last change would remove its feature.
    let turn = 0;
    const unsubscribe = board.subscribe(() => {
      cancelAnimationFrame(turn);
      turn = requestAnimationFrame(follow);
    });
    follow();
    return () => {
      cancelAnimationFrame(turn);
      unsubscribe();
      draw.off('finish', finished);
      draw.off('change', changed);
      stop(draw);
      area.remove();
      holding.remove();
    };
  };
}

/**
 * A new style, such as that of the other theme, has already removed its sources: Terra Draw has then stopped listening.
 */
function stop(draw: TerraDraw): void {
  try {
    draw.stop();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

function modesOf(board: DrawBoard, surface: HexColor) {
  const color = () => board.get().color as HexColor;
  const area = { fillColor: color, fillOpacity: 0.2, outlineColor: color, outlineWidth: 2.5 };
  return [
    new TerraDrawCircleMode({
      projection: 'globe',
      segments: CORNERS,
      drawInteraction: 'click-move-or-drag',
      styles: area,
    }),
    new TerraDrawPolygonMode({
      styles: {
        ...area,
        closingPointColor: color,
        closingPointWidth: 6,
        closingPointOutlineColor: surface,
        closingPointOutlineWidth: 2,
      },
    }),
    new TerraDrawLineStringMode({
      styles: {
        lineStringColor: color,
        lineStringWidth: 3,
        closingPointColor: color,
        closingPointWidth: 6,
        closingPointOutlineColor: surface,
        closingPointOutlineWidth: 2,
      },
    }),
    new TerraDrawSelectMode({
      allowManualDeselection: false,
      flags: {
        circle: { feature: { draggable: true, coordinates: { resizable: 'center-fixed' } } },
        polygon: { feature: { draggable: true, coordinates: { draggable: true, midpoints: true, deletable: true } } },
        linestring: {
          feature: { draggable: true, coordinates: { draggable: true, midpoints: true, deletable: true } },
        },
      },
      keyEvents: { deselect: null, delete: null, rotate: null, scale: null },
      styles: {
        selectedLineStringColor: color,
        selectedLineStringWidth: 3,
        selectedPolygonColor: color,
        selectedPolygonFillOpacity: 0.2,
        selectedPolygonOutlineColor: color,
        selectedPolygonOutlineWidth: 2.5,
        selectionPointColor: surface,
        selectionPointOutlineColor: color,
        selectionPointWidth: (feature) => (isHandle(feature) ? 6 : 0),
        selectionPointOutlineWidth: (feature) => (isHandle(feature) ? 2.5 : 0),
        midPointColor: color,
        midPointOutlineColor: surface,
        midPointWidth: 4,
        midPointOutlineWidth: 1.5,
      },
    }),
  ];

  function isHandle({ properties }: GeoJSONStoreFeatures): boolean {
    const isOfCircle = (board.get().draft ?? board.get().shape)?.kind === 'circle';
    return !isOfCircle || Number(properties.index) % HANDLE_EVERY === 0;
  }
}

function featureOf(shape: FenceShape): GeoJSONStoreFeatures {
  if (shape.kind === 'corridor') {
    const coordinates = shape.path.map(({ lat, lng }) => [cut(lng), cut(lat)]);
    return { type: 'Feature', geometry: { type: 'LineString', coordinates }, properties: { mode: 'linestring' } };
  }
  const ring = ringOf(shape, CORNERS).map(([lng, lat]) => [cut(lng), cut(lat)] as [number, number]);
  return {
    type: 'Feature',
    geometry: { ...polygonOf(shape), coordinates: [ring] },
    properties: {
      mode: shape.kind,
      ...(shape.kind === 'circle' && { radiusKilometers: shape.radius / 1000 }),
    },
  };
}
const cut = (degrees: number) => Number(degrees.toFixed(DIGITS));

function shapeOfFeature({ geometry, properties }: GeoJSONStoreFeatures, widthM: number): FenceShape | undefined {
  if (geometry.type === 'LineString')
    return corridorOf(
      geometry.coordinates.map(([lng, lat]) => ({ lat: lat!, lng: lng! })),
      widthM,
    );
  if (geometry.type !== 'Polygon') return undefined;
  const ring = geometry.coordinates[0]!;
  if (properties.mode === 'circle') {
    const circle = circleOfRing(ring);
    return circle.kind === 'circle' && circle.radius > 0 ? circle : undefined;
  }
  return ring.length >= 4 ? outlineOfRing(ring) : undefined;
}
