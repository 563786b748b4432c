import type { RecordDraft } from '../record/draft.ts';
import type { TrackerSession } from '../tracker.ts';

/** A message whose frame is right. */
export interface Gt06Message {
  readonly type: number;
  readonly isLong: boolean;
  /** The declared length of the frame: clones use one type with several contents, told apart by it. */
  readonly length: number;
  readonly content: Buffer;
  /** The content, and what stands where serial and CRC belong: clones without those have content there. */
  readonly all: Buffer;
  readonly session: TrackerSession;
}

/** Reads a message into a draft; false if the content is not what its type says. */
export type Gt06Reader = (draft: RecordDraft, message: Gt06Message) => boolean;
