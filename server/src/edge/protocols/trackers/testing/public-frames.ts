import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Public frames, with what they mean, from a file that is not part of the repository: `TRACKWAY_FRAMES`, or
 * `../shared/wire/frames.json` beside it.
 */
const FILE =
  process.env.TRACKWAY_FRAMES ?? resolve(import.meta.dirname, '../../../../../../../shared/wire/frames.json');

export interface PublicFrame {
  readonly protocol: string;
  readonly transport: 'tcp' | 'udp';
  readonly kind: 'message' | 'split' | 'command' | 'mustFail';
  readonly hex?: string;
  readonly text?: string;
  /** False where the escaping of the protocol was already undone. */
  readonly escaped?: boolean;
  readonly expected: {
    readonly deviceId?: string;
    readonly checksumValid?: boolean;
    readonly points?: readonly PublicPoint[];
    readonly reply?: string;
    readonly status?: { readonly alarms?: readonly string[] };
    readonly firstFrame?: string;
  };
  readonly sure: Readonly<Record<string, unknown>>;
}

export interface PublicPoint {
  readonly time?: string;
  readonly valid?: boolean;
  readonly lat?: number;
  readonly lng?: number;
}

/** Why they can't be read, where that is so. */
export const framesMissing = existsSync(FILE) ? undefined : `SKIPPED: ${FILE} is not there; name it by TRACKWAY_FRAMES`;

export const publicFrames = (): readonly PublicFrame[] =>
  (JSON.parse(readFileSync(FILE, 'utf8')) as { frames: readonly PublicFrame[] }).frames;

/** Whether a publisher states it, or two decoders agree on it. */
export const isSure = ({ sure }: PublicFrame, what: string) => sure[what] === 'asserted' || sure[what] === 'two-ways';

export const bytesOf = ({ hex, text }: PublicFrame) =>
  hex === undefined ? Buffer.from(text ?? '', 'latin1') : Buffer.from(hex, 'hex');

/** The points that are places: a place of (0, 0) is none. */
export const placesOf = ({ expected }: PublicFrame): readonly PublicPoint[] =>
  (expected.points ?? []).filter(({ lat, lng }) => typeof lat === 'number' && (lat || lng));
