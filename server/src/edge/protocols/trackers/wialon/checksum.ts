import { crcArc } from '../bytes.ts';

/** A body, without its checksum if it has one. */
export interface Checked {
  readonly body: string;
  readonly isWrong: boolean;
}

/**
 * Takes the checksum off a body that must have one. It covers all that is before it, the separator included; its leading
 * zeros may be missing.
 */
export function withoutChecksum(body: string, separator: ';' | '|'): Checked {
  const end = body.lastIndexOf(separator) + 1;
  const given = body.slice(end).trim();
  const covered = Buffer.from(body.slice(0, end), 'latin1');
  const isRight = /^[0-9a-f]{1,4}$/i.test(given) && Number.parseInt(given, 16) === crcArc(covered, 0, covered.length);
  return { body: body.slice(0, Math.max(0, end - 1)), isWrong: !isRight };
}
