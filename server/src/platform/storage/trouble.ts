import type { Log } from '../log.ts';

/** What can be wrong with a store of either engine. */
export type TroubleKind = 'full' | 'damaged' | 'gone' | 'readOnly' | 'disk' | 'unavailable' | 'busy';

/** An error of the store that is not the caller's fault: later, or after the operator did something, the same works. */
export class StoreTrouble extends Error {
  readonly kind: TroubleKind;
  /** SQLite's result code. */
  readonly errcode: number | undefined;
  /** The code of PostgreSQL or of the operating system. */
  readonly code: string | undefined;
  constructor(kind: TroubleKind, cause: unknown) {
    const { message, errcode, code } = cause as { message?: string; errcode?: number; code?: string };
    super(message ?? String(cause), { cause });
    this.kind = kind;
    this.errcode = errcode;
    this.code = code;
  }
}

/** Nothing is written, since it would not be kept: the store is damaged, or its files are gone. */
export class WritesRefused extends StoreTrouble {
  constructor(kind: TroubleKind, sentence: string) {
    super(kind, new Error(sentence));
  }
}

/** SQLite's primary result codes. */
const SQLITE: Record<number, TroubleKind> = {
  5: 'busy',
  8: 'readOnly',
  10: 'disk',
  11: 'damaged',
  13: 'full',
  14: 'disk',
  26: 'damaged',
};
/** The memory that the connections share can't grow: the disk is full. */
const SQLITE_IOERR_SHMSIZE = 4874;

export function sqliteTrouble(error: unknown): TroubleKind | undefined {
  const { errcode } = error as { errcode?: number };
  if (errcode === undefined) return undefined;
  return errcode === SQLITE_IOERR_SHMSIZE ? 'full' : SQLITE[errcode & 0xff];
}

const POSTGRES: Record<string, TroubleKind> = {
  '53100': 'full',
  XX001: 'damaged',
  XX002: 'damaged',
  '25006': 'readOnly',
  '58030': 'disk',
  '58000': 'disk',
  '58P01': 'disk',
  // A statement that took too long, or waited too long for a lock.
  '57014': 'busy',
  '55P03': 'busy',
  // Two waited for each other, and this one was given up.
  '40P01': 'busy',
  '25P03': 'unavailable',
  '53000': 'unavailable',
  '53200': 'unavailable',
  '53300': 'unavailable',
  '53400': 'unavailable',
  '57P01': 'unavailable',
  '57P02': 'unavailable',
  '57P03': 'unavailable',
  '57P04': 'unavailable',
  '57P05': 'unavailable',
  // The server lets us in no more: an operator changed the password, the role or the database.
  '28000': 'unavailable',
  '28P01': 'unavailable',
  '3D000': 'unavailable',
  ECONNREFUSED: 'unavailable',
  ECONNRESET: 'unavailable',
  EPIPE: 'unavailable',
  ETIMEDOUT: 'unavailable',
  EHOSTUNREACH: 'unavailable',
  ENETUNREACH: 'unavailable',
  ENOTFOUND: 'unavailable',
  EAI_AGAIN: 'unavailable',
  ECONNABORTED: 'unavailable',
  // Its socket file is gone, or this process has too many files open.
  ENOENT: 'unavailable',
  EMFILE: 'unavailable',
  ENFILE: 'unavailable',
};
/** The driver's own errors have no code. */
const POSTGRES_LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client )/;

export function postgresTrouble(error: unknown): TroubleKind | undefined {
  const { code, message } = error as { code?: string; message?: string };
  if (code === undefined) return POSTGRES_LOST.test(message ?? '') ? 'unavailable' : undefined;
  return POSTGRES[code] ?? (/^08/.test(code) ? 'unavailable' : undefined);
}

const AGAIN_MS = 60_000;

/**
 * Says that work failed which is done again and again. While the store is in trouble every turn fails in the same way, so
 * that is said once a minute; that nothing may be written was said when it began.
 */
export function failureLog(log: Pick<Log, 'error'>, againMs = AGAIN_MS): (error: unknown, sentence: string) => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (error, sentence) => {
    if (error instanceof WritesRefused) return;
    if (error instanceof StoreTrouble) {
      const now = performance.now();
      if (now - saidAt < againMs) return;
      saidAt = now;
    }
    log.error({ error }, sentence);
  };
}
