import type { Generated } from 'kysely';
import type { Identified } from './identified.ts';

/** A public page of a device for a time. */
export interface LinkRow extends Identified {
  deviceId: number;
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
