import { MAX_VERTICES } from '@trackway/contract/resources/geofence.ts';
import { colorOf, type Geofence } from '../../api/geofences.ts';
import type { LatLng } from '../../geo/place.ts';
import { type FenceShape, fieldsOf, shapeOf } from '../../map/draw/draw-shape.ts';
import { t } from '../../texts/t.ts';

/** The form state of a geofence, without its shape. Confidences are percentages. */
export interface GeofenceDraft {
  readonly name: string;
  readonly group: string;
  readonly color: string | null;
  readonly deviceId: number | undefined;
  readonly enterAfter: number | null;
  readonly exitAfter: number | null;
  readonly enterConfidence: number | null;
  readonly exitConfidence: number | null;
}

export const ENTER_PERCENT = 70;
export const EXIT_PERCENT = 30;

const words = t.geofences.form;
const numberIn = (meta: Record<string, unknown> | null, key: string, times = 1) =>
  typeof meta?.[key] === 'number' ? Math.round(meta[key] * times * 10) / 10 : null;

export const draftOf = (fence: Geofence | undefined): GeofenceDraft => ({
  name: fence?.name ?? '',
  group: fence?.type ?? '',
  color: fence ? (colorOf(fence) ?? null) : null,
  deviceId: fence?.deviceId ?? undefined,
  enterAfter: numberIn(fence?.meta ?? null, 'enterAfter'),
  exitAfter: numberIn(fence?.meta ?? null, 'exitAfter'),
  enterConfidence: numberIn(fence?.meta ?? null, 'enterConfidence', 100),
  exitConfidence: numberIn(fence?.meta ?? null, 'exitConfidence', 100),
});

/** The fields to send. Other values of `meta` are custom data and stay unchanged. */
export function geofenceOf(draft: GeofenceDraft, shape: FenceShape, before: Geofence | undefined) {
  const { color, enterAfter, exitAfter, enterConfidence, exitConfidence } = draft;
  const share = (percent: number | null) => (percent === null ? null : percent / 100);
  const thresholds = {
    enterAfter,
    exitAfter,
    enterConfidence: share(enterConfidence),
    exitConfidence: share(exitConfidence),
  };
  const meta = {
    ...before?.meta,
    color: color ?? undefined,
    corridor: shape.kind === 'corridor' ? { path: shape.path, widthM: shape.widthM } : undefined,
  };
  const kept = Object.fromEntries(
    Object.entries(meta).filter(([key, value]) => value !== undefined && !(key in thresholds)),
  );
  const isSameShape = before !== undefined && JSON.stringify(shapeOf(before)) === JSON.stringify(shape);
  return {
    name: draft.name.trim() || null,
    type: draft.group.trim() || null,
    deviceId: draft.deviceId ?? null,
    ...thresholds,
    meta: Object.keys(kept).length > 0 ? kept : null,
    // Sending an unchanged shape with other digits would make the server reset which devices are inside.
    ...(!isSameShape && fieldsOf(shape)),
  };
}

export function confidenceProblems({ enterConfidence, exitConfidence }: GeofenceDraft) {
  const isOut = (value: number | null) => value !== null && !(value >= 1 && value <= 99);
  return {
    enter: isOut(enterConfidence) ? words.confidenceRange : undefined,
    exit: isOut(exitConfidence)
      ? words.confidenceRange
      : (exitConfidence ?? EXIT_PERCENT) >= (enterConfidence ?? ENTER_PERCENT)
        ? words.confidenceOrder
        : undefined,
  };
}

/** Vertices as text: one per line, latitude and longitude. */
export const cornersText = (outline: readonly LatLng[]) =>
  outline.map(({ lat, lng }) => `${lat.toFixed(6)}, ${lng.toFixed(6)}`).join('\n');

export function readCorners(text: string): { outline: readonly LatLng[] } | { problem: string } {
  const outline: LatLng[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [lat, lng, ...more] = line
      .trim()
      .split(/[\s,;]+/)
      .map(Number);
    const isPlace = more.length === 0 && Math.abs(lat ?? Number.NaN) <= 90 && Math.abs(lng ?? Number.NaN) <= 180;
    if (!isPlace) return { problem: words.cornersProblem({ line: index + 1 }) };
    outline.push({ lat: lat!, lng: lng! });
  }
  if (new Set(outline.map(({ lat, lng }) => `${lat},${lng}`)).size < 3) return { problem: words.fewCorners };
  return outline.length > MAX_VERTICES ? { problem: words.manyCorners({ most: MAX_VERTICES }) } : { outline };
}
