import { Refusal } from '../../platform/errors.ts';
import type { StoreTrouble, TroubleKind } from '../../platform/storage/trouble.ts';

/** What callers are told: nothing of the inside, but whether and when it is worth to try again. */
const ANSWERS: Record<TroubleKind, { status: 503 | 507; afterSeconds: number; message: string }> = {
  full: {
    status: 507,
    afterSeconds: 60,
    message: 'The disk of the server is full: this was not stored. Send it again later.',
  },
  damaged: {
    status: 503,
    afterSeconds: 300,
    message: 'The database of the server is damaged: nothing is stored until its operator has restored it.',
  },
  gone: {
    status: 503,
    afterSeconds: 60,
    message: 'The server has lost the files of its database: nothing is stored until its operator has put them back.',
  },
  readOnly: {
    status: 503,
    afterSeconds: 60,
    message: 'The database of the server cannot be written at the moment. Send it again later.',
  },
  disk: { status: 503, afterSeconds: 60, message: 'The disk of the server has a fault. Try again later.' },
  unavailable: {
    status: 503,
    afterSeconds: 5,
    message: 'The database of the server does not answer at the moment. Try again soon.',
  },
  busy: { status: 503, afterSeconds: 5, message: 'The database of the server is busy. Try again soon.' },
};

export function storeRefusal(trouble: StoreTrouble): Refusal {
  const { status, afterSeconds, message } = ANSWERS[trouble.kind];
  return new Refusal(status, message, {
    name: 'ServiceUnavailableError',
    code: `STORE_${trouble.kind.replace('readOnly', 'read_only').toUpperCase()}`,
    headers: { 'retry-after': String(afterSeconds) },
    cause: trouble,
  });
}
