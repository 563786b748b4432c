import type { Identified } from './identified.ts';

/** A device or a person whose data was erased, or is being. */
export interface ErasureRow extends Identified {
  kind: 'device' | 'user';
  subjectId: number;
  /** Since when there was data: older copies hold none of it. */
  since: number;
  requestedAt: number;
  /** Null for the operator of the server. */
  requestedBy: number | null;
  completedAt: number | null;
  /** How many rows of each table. */
  rows: string | null;
  /** The devices that were erased with a person. */
  deviceIds: string | null;
  /** What was done, as the text that is signed. */
  record: string | null;
  signature: string | null;
}

/** An archive or a backup that was made of this database. */
export interface DataCopyRow extends Identified {
  kind: 'archive' | 'backup';
  place: string;
  machine: string;
  created: number;
  updated: number;
}
