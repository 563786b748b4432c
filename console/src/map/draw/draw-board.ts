import { createStore, type Store } from '../../store.ts';
import type { FenceShape } from './draw-shape.ts';

export type Tool = 'circle' | 'polygon' | 'corridor' | 'edit';

/** The default width of a corridor, on each side. */
export const USUAL_WIDTH_M = 100;

/** The shared state of drawing: the form and the map both read and write it. */
export interface Board {
  readonly tool: Tool;
  readonly shape: FenceShape | undefined;
  readonly color: string;
  /** The current shape while it is being drawn or dragged. */
  readonly draft: FenceShape | undefined;
  /** The width of the next corridor. */
  readonly widthM: number;
}

export type DrawBoard = Store<Board>;

export const createBoard = (tool: Tool, shape: FenceShape | undefined, color: string): DrawBoard =>
  createStore<Board>({
    tool,
    shape,
    color,
    draft: undefined,
    widthM: shape?.kind === 'corridor' ? shape.widthM : USUAL_WIDTH_M,
  });
