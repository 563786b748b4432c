import type { Generated } from 'kysely';
import type { Identified } from './identified.ts';

/** A public page for a time. */
interface PageRow extends Identified {
  /** Who made it, and whose right it rests on. */
  userId: number;
  handle: string;
  /** The hash of the secret. */
  secret: string;
  name: string | null;
  expiresAt: number;
  trail: number;
  destinationLat: number | null;
  destinationLng: number | null;
  destinationName: string | null;
  /** JSON: the sites that may show it in a frame. */
  origins: string | null;
  views: Generated<number>;
  lastViewedAt: number | null;
  created: number;
}

export interface LinkRow extends PageRow {
  deviceId: number;
}

export interface GroupLinkRow extends PageRow {
  groupId: number;
}
