import { createStore, type Store } from '../../store.ts';
import type { FenceShape } from './draw-shape.ts';

export type Tool = 'circle' | 'polygon' | 'corridor' | 'edit';

/** How wide a new corridor is, to either side. */
export const USUAL_WIDTH_M = 100;

/** What is on the drawing board: the form and the map both read and write it. */
export interface Board {
  readonly tool: Tool;
  readonly shape: FenceShape | undefined;
  readonly color: string;
  /** While it is being drawn or dragged: what it would be. */
  readonly draft: FenceShape | undefined;
  /** Of the next corridor. */
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
