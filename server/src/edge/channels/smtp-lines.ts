import { Readable } from 'node:stream';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';

/** Connections to the mail server: opened when needed, reused for a while, and used by one mail at a time. */

/** The failure of a mail, and how far it had got. */
export interface SmtpFailure {
  readonly code?: string;
  /** The code of the response, if it was a rejection. */
  readonly responseCode?: number;
  readonly response?: string;
  readonly command?: string;
  /** Whether the transfer of the mail had started: then it may have arrived. */
  readonly isAccepted: boolean;
}

export interface Envelope {
  readonly from: string;
  readonly to: string;
}

export interface SmtpLines {
  /** Undefined once the server has accepted the mail. */
  send(envelope: Envelope, mail: Buffer, signal: AbortSignal): Promise<SmtpFailure | undefined>;
  close(): void;
}

/** Connections that were idle for this long are closed, before the server closes them. */
const IDLE_MS = 10_000;
const MAX_IDLE = 4;

interface Line {
  readonly connection: SMTPConnection;
  timer?: NodeJS.Timeout;
}

export function smtpLines(url: string): SmtpLines {
  const idle: Line[] = [];

  async function send(envelope: Envelope, mail: Buffer, signal: AbortSignal): Promise<SmtpFailure | undefined> {
    const reused = idle.pop();
    if (reused !== undefined) {
      clearTimeout(reused.timer);
      const failure = await overLine(reused, envelope, mail, signal);
      // The server has closed the connection, or does so now; nothing of the mail was sent.
      const isStale = failure && !failure.isAccepted && (failure.responseCode ?? 421) === 421;
      if (!isStale || signal.aborted) return failure;
    }
    try {
      return await overLine(await openLine(signal), envelope, mail, signal);
    } catch (error) {
      return { ...failureOf(error), isAccepted: false };
    }
  }

  async function overLine(line: Line, envelope: Envelope, mail: Buffer, signal: AbortSignal) {
    let isAccepted = false;
    // Read only when the server is ready for the mail.
    const message = new Readable({
      read() {
        isAccepted = true;
        this.push(mail);
        this.push(null);
      },
    });
    const { connection } = line;
    try {
      await asPromise(connection, signal, (done) =>
        connection.send({ from: envelope.from, to: [envelope.to], size: mail.length }, message, done),
      );
      reuse(line);
      return undefined;
    } catch (error) {
      connection.close();
      return { ...failureOf(error), isAccepted };
    }
  }

  /** Keeps a connection until it is needed, was idle for too long, or is closed by the server. */
  function reuse(line: Line): void {
    if (idle.length >= MAX_IDLE) {
      line.connection.quit();
      return;
    }
    line.timer = setTimeout(() => {
      forget(line);
      line.connection.quit();
    }, IDLE_MS);
    line.timer.unref();
    idle.push(line);
  }

  function forget(line: Line): void {
    clearTimeout(line.timer);
    const at = idle.indexOf(line);
    if (at !== -1) idle.splice(at, 1);
  }

  async function openLine(signal: AbortSignal): Promise<Line> {
    const line = await open(url, signal);
    line.connection.once('end', () => forget(line));
    return line;
  }

  return {
    send,
    close() {
      for (const { connection, timer } of idle.splice(0)) {
        clearTimeout(timer);
        connection.close();
      }
    },
  };
}

/** A password is not sent unencrypted, except on this machine or if the address contains `?requireTLS=false`. */
export function needsTls(url: string): boolean {
  const { hostname, searchParams } = new URL(url);
  return !/^(127\.|\[::1\]$|localhost$)/.test(hostname) && searchParams.get('requireTLS') !== 'false';
}

async function open(url: string, signal: AbortSignal): Promise<Line> {
  const [{ default: Connection }, { parseConnectionUrl }] = await Promise.all([
    import('nodemailer/lib/smtp-connection'),
    import('nodemailer/lib/shared'),
  ]);
  const { auth, ...options } = parseConnectionUrl(url);
  const connection = new Connection({ ...options, ...(auth && needsTls(url) && { requireTLS: true }) });
  // A waiting caller receives the error; otherwise it only ends the connection.
  connection.on('error', () => {});
  try {
    await asPromise(connection, signal, (done) => connection.connect(done));
    if (auth && connection.allowsAuth) await asPromise(connection, signal, (done) => connection.login(auth, done));
    return { connection };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Settles with the callback, with the end of the connection, or on abort. */
function asPromise(
  connection: SMTPConnection,
  signal: AbortSignal,
  begin: (done: (error?: Error | null) => void) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = () => reject(signal.reason);
  const ended = () => reject(Object.assign(new Error('The connection ended'), { code: 'ECONNECTION' }));
  signal.addEventListener('abort', giveUp, { once: true });
  connection.once('error', reject);
  connection.once('end', ended);
  if (signal.aborted) giveUp();
  else begin((error) => (error ? reject(error) : resolve()));
  return promise.finally(() => {
    signal.removeEventListener('abort', giveUp);
    connection.off('error', reject);
    connection.off('end', ended);
  });
}

function failureOf(error: unknown): Omit<SmtpFailure, 'isAccepted'> {
  const { code, responseCode, response, command, name } = error as SmtpFailure & { name?: string };
  return { code: typeof code === 'string' ? code : name, responseCode, response, command };
}
