import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Public frames, with what they mean, from a file that is not part of the repository: `TRACKWAY_FRAMES`, or
 * `../shared/wire/frames.json` next to it.
 */
const FILE =
  process.env.TRACKWAY_FRAMES ?? resolve(import.meta.dirname, '../../../../../../../shared/wire/frames.json');

export interface PublicFrame {
  readonly protocol: string;
  readonly transport: 'tcp' | 'udp';
  readonly kind: 'message' | 'split' | 'command' | 'mustFail';
  readonly hex?: string;
  readonly text?: string;
  /** False if the escapes of the protocol were already removed. */
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

/** Reason why the file cannot be read, if it cannot. */
export const framesMissing = existsSync(FILE) ? undefined : `SKIPPED: ${FILE} is not there; name it by TRACKWAY_FRAMES`;

/** Both forms of Queclink have one decoder. */
export const publicFrames = (): readonly PublicFrame[] =>
  (JSON.parse(readFileSync(FILE, 'utf8')) as { frames: readonly PublicFrame[] }).frames.map((frame) =>
    frame.protocol === 'queclink-binary' ? { ...frame, protocol: 'queclink' } : frame,
  );

/** Whether a publisher states the value, or two decoders agree on it. */
export const isSure = ({ sure }: PublicFrame, what: string) => sure[what] === 'asserted' || sure[what] === 'two-ways';

export const bytesOf = ({ hex, text }: PublicFrame) =>
  hex === undefined ? Buffer.from(text ?? '', 'latin1') : Buffer.from(hex, 'hex');

/** The points that are valid places: (0, 0) is not, nor is a latitude of more than 90 degrees. */
export const placesOf = ({ expected }: PublicFrame): readonly PublicPoint[] =>
  (expected.points ?? []).filter(({ lat, lng }) => typeof lat === 'number' && Math.abs(lat) <= 90 && (lat || lng));
