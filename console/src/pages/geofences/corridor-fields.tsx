import { LEAST_WIDTH_M, MOST_WIDTH_M } from '@trackway/contract/corridor.ts';
import { useState } from 'react';
import { useFormat } from '../../format/use-format.ts';
import { scales } from '../../forms/trigger-units.ts';
import type { DrawBoard } from '../../map/draw/draw-board.ts';
import { corridorOf, type FenceShape } from '../../map/draw/draw-shape.ts';
import { useStore } from '../../store.ts';
import { t } from '../../texts/t.ts';
import { NumberField } from '../../ui/fields/field.tsx';

const words = t.geofences.form;

/** The width of a corridor; its path is drawn on the map. */
export function CorridorFields({ board, onChange }: { board: DrawBoard; onChange: (shape: FenceShape) => void }) {
  const { shape, widthM } = useStore(board);
  const { near } = scales(useFormat().units);
  const [typed, setTyped] = useState<number | null>(() => near.shown(widthM));
  const problem = shape?.kind === 'corridor' ? shape.problem : undefined;
  const change = (value: number | null) => {
    setTyped(value);
    if (value === null || !(near.kept(value) > 0)) return;
    const next = Math.round(near.kept(value) * 10) / 10;
    board.set((now) => ({ ...now, widthM: next }));
    if (shape?.kind === 'corridor') onChange(corridorOf(shape.path, next));
  };
  return (
    <NumberField
      label={words.corridorWidth}
      hint={words.corridorWidthHint}
      unit={near.unit}
      value={typed}
      min={near.shown(LEAST_WIDTH_M)}
      max={near.shown(MOST_WIDTH_M)}
      onChange={change}
      problem={problem && words.corridorProblems[problem]}
    />
  );
}
