import { because } from '../because.ts';
import type { Log } from '../log.ts';
import type { SendOutcome } from './channel.ts';
import { type DestinationSession, parcelOf, type SendBatch } from './session.ts';

/** The outcome of sends in progress when the service stops: they are repeated after the next start. */
const STOPPING: SendOutcome = {
  kind: 'broken',
  ...because('serviceStopped'),
  isStopping: true,
};
/** Not the destination's fault, but handled as if it were down: the key may be restored. */
const UNREADABLE: SendOutcome = {
  kind: 'down',
  reason: 'Its secret cannot be decrypted: this server has another key than the one it was encrypted with',
};
/** Time limit for an aborted channel to report its outcome. */
const BREAK_OFF_MS = 250;

/** Every channel ends well before this; the limit is for bugs. */
const SEND_LIMIT_MS = 60_000;

const forAll = ({ rows }: SendBatch, outcome: SendOutcome): SendOutcome[] => rows.map(() => outcome);

/** Sends a batch and returns one outcome for each of its rows, whatever the channel does. */
export async function sendBatch(
  session: DestinationSession,
  batch: SendBatch,
  signal: AbortSignal,
  now: number,
  log: Log,
): Promise<readonly SendOutcome[]> {
  const destination = session.destination(now);
  if (destination === undefined) return forAll(batch, UNREADABLE);
  const limit = Promise.withResolvers<readonly SendOutcome[]>();
  const silent: SendOutcome = { kind: 'down', ...because('destinationSilent'), isUnclear: true };
  const timer = setTimeout(() => limit.resolve(forAll(batch, silent)), SEND_LIMIT_MS).unref();
  const breakOff = () => setTimeout(() => limit.resolve(forAll(batch, STOPPING)), BREAK_OFF_MS);
  if (signal.aborted) breakOff();
  else signal.addEventListener('abort', breakOff, { once: true });
  try {
    const sending = session.channel.send(destination, batch.rows.map(parcelOf), signal);
    const outcomes = await Promise.race([sending, limit.promise]);
    // The outcome of an aborted send is not the destination's fault.
    return batch.rows.map((_, i) => {
      const outcome = outcomes[i] ?? silent;
      return signal.aborted && outcome.kind === 'down' ? STOPPING : outcome;
    });
  } catch (error) {
    log.error({ error, destinationId: session.id }, 'A channel failed');
    return forAll(batch, { kind: 'refused', ...because('internalError') });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', breakOff);
  }
}
