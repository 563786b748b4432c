import type { Log } from '../log.ts';
import type { SendOutcome } from './channel.ts';
import { type DestinationSession, parcelOf, type SendBatch } from './session.ts';

/** Every channel ends well before this; the limit is for one that does not. */
const SEND_LIMIT_MS = 60_000;

const forAll = ({ rows }: SendBatch, outcome: SendOutcome): SendOutcome[] => rows.map(() => outcome);

/** Sends a batch and answers one outcome for each of its rows, whatever the channel does. */
export async function sendBatch(
  session: DestinationSession,
  batch: SendBatch,
  signal: AbortSignal,
  now: number,
  log: Log,
): Promise<readonly SendOutcome[]> {
  const limit = Promise.withResolvers<readonly SendOutcome[]>();
  const silent: SendOutcome = { kind: 'down', reason: 'The destination did not answer in time', isUnclear: true };
  const timer = setTimeout(() => limit.resolve(forAll(batch, silent)), SEND_LIMIT_MS).unref();
  try {
    const sending = session.channel.send(session.destination(now), batch.rows.map(parcelOf), signal);
    const outcomes = await Promise.race([sending, limit.promise]);
    return batch.rows.map((_, i) => outcomes[i] ?? silent);
  } catch (error) {
    log.error({ error, destinationId: session.id }, 'A channel failed');
    return forAll(batch, { kind: 'refused', reason: 'It could not be sent because of an internal error' });
  } finally {
    clearTimeout(timer);
  }
}
