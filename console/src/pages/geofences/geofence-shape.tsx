import { useState } from 'react';
import { useFormat } from '../../format/use-format.ts';
import { scales } from '../../forms/trigger-units.ts';
import type { DrawBoard } from '../../map/draw/draw-board.ts';
import { fittingRadiusM, type MapHandle, middleOfMap } from '../../map/draw/draw-camera.ts';
import type { FenceShape } from '../../map/draw/draw-shape.ts';
import { useStore } from '../../store.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { FieldStack, NumberField, TextArea } from '../../ui/fields/field.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import { CorridorFields } from './corridor-fields.tsx';
import { cornersText, readCorners } from './geofence-draft.ts';
import css from './geofence-form.module.css';

const words = t.geofences.form;
type Kind = FenceShape['kind'];

/** The shape of the fence: drawn on the map, or typed. Both use the same board. */
export function ShapeFields({
  board,
  map,
  problem,
}: {
  board: DrawBoard;
  map: MapHandle | undefined;
  problem?: string;
}) {
  const { tool, shape, draft } = useStore(board);
  const kind: Kind = tool === 'edit' ? (shape?.kind ?? 'circle') : tool;
  const put = (next: FenceShape) => board.set((now) => ({ ...now, tool: 'edit', shape: next, draft: undefined }));
  const by = matchMedia('(pointer: coarse)').matches ? words.touch : words;
  const hint = {
    circle: tool === 'edit' ? words.editCircle : by.drawCircle,
    polygon: tool === 'edit' ? by.editPolygon : by.drawPolygon,
    corridor: tool === 'edit' ? by.editPolygon : by.drawCorridor,
  }[kind];
  return (
    <FieldStack>
      <div className={css.shapeHead}>
        <span className={css.legend}>{words.shape}</span>
        <Segmented<Kind>
          label={words.shape}
          value={kind}
          choices={[
            { value: 'circle', label: words.circle },
            { value: 'polygon', label: words.polygon },
            { value: 'corridor', label: words.corridor },
          ]}
          onChange={(next) => board.set((now) => ({ ...now, tool: next, shape: undefined, draft: undefined }))}
        />
      </div>
      <p className={css.hint}>{hint}</p>
      {kind === 'circle' ? (
        <CircleFields shape={draft ?? shape} map={map} onChange={put} />
      ) : kind === 'corridor' ? (
        <CorridorFields board={board} onChange={put} />
      ) : (
        <PolygonFields shape={shape} onChange={put} />
      )}
      {problem && (
        <p className={css.problem} role="alert">
          {problem}
        </p>
      )}
    </FieldStack>
  );
}

function CircleFields({
  shape,
  map,
  onChange,
}: {
  shape: FenceShape | undefined;
  map: MapHandle | undefined;
  onChange: (shape: FenceShape) => void;
}) {
  const { near } = scales(useFormat().units);
  const [typed, setTyped] = useState<{ lat: number | null; lng: number | null; radius: number | null }>();
  const circle = shape?.kind === 'circle' ? shape : undefined;
  const drawn = circle
    ? { lat: rounded(circle.center.lat, 6), lng: rounded(circle.center.lng, 6), radius: near.shown(circle.radius) }
    : { lat: null, lng: null, radius: null };
  const shown = typed ?? drawn;
  const change = (field: 'lat' | 'lng' | 'radius') => (value: number | null) => {
    const next = { ...shown, [field]: value };
    const { lat, lng } = next;
    // Values that were not typed stay unchanged, because rounding to the viewer's unit would alter them.
    const isAsDrawn = circle !== undefined && next.radius === drawn.radius;
    const radius = isAsDrawn ? circle.radius : next.radius === null ? null : near.kept(next.radius);
    const isWhole = isWithin(lat, 90) && isWithin(lng, 180) && radius !== null && radius > 0 && radius <= 20_037_508;
    setTyped(isWhole ? undefined : next);
    if (isWhole) onChange({ kind: 'circle', center: { lat: lat!, lng: lng! }, radius });
  };
  return (
    <>
      <div className={css.pair}>
        <NumberField label={words.latitude} value={shown.lat} min={-90} max={90} onChange={change('lat')} />
        <NumberField label={words.longitude} value={shown.lng} min={-180} max={180} onChange={change('lng')} />
        <NumberField label={words.radius} unit={near.unit} value={shown.radius} min={1} onChange={change('radius')} />
      </div>
      {!circle && map && (
        <Button
          size="small"
          icon="target"
          onClick={() => {
            setTyped(undefined);
            onChange({
              kind: 'circle',
              center: middleOfMap(map),
              radius: shown.radius === null ? fittingRadiusM(map) : near.kept(shown.radius),
            });
          }}
        >
          {words.useMapCenter}
        </Button>
      )}
    </>
  );
}

function PolygonFields({ shape, onChange }: { shape: FenceShape | undefined; onChange: (shape: FenceShape) => void }) {
  const [typed, setTyped] = useState<string>();
  const outline = shape?.kind === 'polygon' ? shape.outline : undefined;
  const text = typed ?? (outline ? cornersText(outline) : '');
  const read = typed === undefined ? undefined : readCorners(typed);
  return (
    <details className={css.details}>
      <summary>{words.typeCorners}</summary>
      <TextArea
        label={words.corners}
        hint={words.cornersHint}
        problem={read && 'problem' in read && typed !== '' ? read.problem : undefined}
        isCode
        rows={6}
        value={text}
        onChange={(value) => {
          const corners = readCorners(value);
          setTyped(value);
          if ('outline' in corners) onChange({ kind: 'polygon', outline: corners.outline });
        }}
        onBlur={() => read && 'outline' in read && setTyped(undefined)}
      />
    </details>
  );
}

const isWithin = (value: number | null, most: number) => value !== null && Math.abs(value) <= most;
const rounded = (value: number, digits: number) => Number(value.toFixed(digits));
