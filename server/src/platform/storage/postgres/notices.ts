import type { Client, ClientConfig } from 'pg';
import type { Log } from '../../log.ts';

/**
 * Processes on one database notify each other of commits, by NOTIFY on a connection of its own, after the commit:
 * within a transaction it would take a lock of the whole database until the end. A notice has no content, may get lost,
 * and is rate-limited: receivers then read the database, which they also poll.
 *
 * Each notice costs every process something, so they are sent only where one of the others wants them: a process
 * repeats this regularly while it has readers.
 */
export interface Notices {
  /** Notifies the others if they want it, at once or as soon as the rate limit allows. */
  announce(): void;
  /** Calls when another process announced something, and when notices may have been missed. */
  onNotice(listener: () => void): void;
  /** Lets the others know that notices are wanted here, for a while. */
  want(): void;
  stop(): Promise<void>;
}

interface NoticesOptions {
  /** A connection that goes straight to the server. */
  connect(): Promise<Client>;
  readonly log: Log;
  readonly everyMs?: number;
  readonly retryMs?: number;
  /** How long a process that requested notices gets them. */
  readonly wantedMs?: number;
  /** Milliseconds that pass evenly. */
  readonly monotonic?: () => number;
}

const CHANNEL = 'trackway';
const EVERY_MS = 10;
const RETRY_MS = 1000;
const WANTED_MS = 10_000;
const WANTED = 'wanted';

export const NOTICE_CONNECTION: ClientConfig = { application_name: 'trackway notices', keepAlive: true };

export function startNotices({ connect, log, ...options }: NoticesOptions): Notices {
  const { everyMs = EVERY_MS, retryMs = RETRY_MS, wantedMs = WANTED_MS, monotonic = () => performance.now() } = options;
  const listeners: (() => void)[] = [];
  let client: Client | undefined;
  let isStopped = false;
  let retrying: NodeJS.Timeout | undefined;
  let waiting: NodeJS.Timeout | undefined;
  let isSending = false;
  let isDue = false;
  let sentAt = Number.NEGATIVE_INFINITY;
  /** Until when another process wants notices, and when it was last said that they are wanted here. */
  let wantedUntil = Number.NEGATIVE_INFINITY;
  let saidAt = Number.NEGATIVE_INFINITY;
  let isWanted = false;

  const notifyListeners = () => {
    for (const listener of listeners) listener();
  };

  const again = () => {
    if (!isStopped) retrying = setTimeout(open, retryMs).unref();
  };

  async function open(): Promise<void> {
    let fresh: Client | undefined;
    try {
      fresh = await connect();
      await listen(fresh);
    } catch (error) {
      log.warn({ error }, 'Notices of other servers are not received; they are polled');
      fresh?.end().catch(() => {});
      again();
    }
  }

  async function listen(fresh: Client): Promise<void> {
    fresh.on('error', () => {});
    fresh.on('end', () => {
      if (client !== fresh) return;
      client = undefined;
      again();
    });
    const { rows } = await fresh.query('SELECT pg_backend_pid() AS pid');
    const own = (fresh as unknown as { processID: number }).processID;
    if (Number(rows[0].pid) !== own) {
      isStopped = true;
      await fresh.end();
      log.warn(
        {},
        'The database is behind a connection pooler: other servers are polled. Set TRACKWAY_DATABASE_DIRECT_URL to the address of the database itself',
      );
      return;
    }
    fresh.on('notification', ({ processId, payload }) => {
      if (processId === own) return;
      if (payload === WANTED) wantedUntil = monotonic() + wantedMs;
      else notifyListeners();
    });
    // A notice that is lost in a crash is of no use afterwards; its lock is not held until the disk has it.
    await fresh.query(`SET synchronous_commit = off; LISTEN ${CHANNEL}`);
    if (isStopped) return await fresh.end();
    client = fresh;
    // Who wants notices is not known yet.
    wantedUntil = monotonic() + wantedMs;
    notifyListeners();
    if (isWanted) say();
    send();
  }

  function send(): void {
    if (client === undefined || isSending || waiting !== undefined || !isDue) return;
    const waitMs = sentAt + everyMs - performance.now();
    if (waitMs > 0) {
      waiting = setTimeout(() => {
        waiting = undefined;
        send();
      }, waitMs).unref();
      return;
    }
    isDue = false;
    isSending = true;
    sentAt = performance.now();
    client
      .query(`NOTIFY ${CHANNEL}`)
      // The connection is gone; there will be another.
      .catch(() => {})
      .finally(() => {
        isSending = false;
        send();
      });
  }

  function say(): void {
    if (client === undefined) return;
    isWanted = false;
    saidAt = monotonic();
    client.query(`NOTIFY ${CHANNEL}, '${WANTED}'`).catch(() => {});
  }

  open();
  return {
    announce() {
      if (monotonic() > wantedUntil) return;
      isDue = true;
      send();
    },
    want() {
      isWanted = true;
      if (monotonic() - saidAt > wantedMs / 3) say();
    },
    onNotice(listener) {
      listeners.push(listener);
    },
    async stop() {
      isStopped = true;
      clearTimeout(retrying);
      clearTimeout(waiting);
      await client?.end().catch(() => {});
    },
  };
}
