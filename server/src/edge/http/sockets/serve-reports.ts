import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import { BadFrame, type MessageId, readReportFrame } from './frames.ts';

/** Reports that are being stored before no more are read. */
const MOST_WAITING = 32;
/** How long a device may take to answer the end of the socket. */
const FAREWELL_MS = 2000;

/** What becomes of one report; the content stands beside `id` and `status` in the answer. */
export interface StreamedOutcome {
  readonly status: number;
  readonly content: object;
}

export interface ReportStreamDesk {
  /** Takes in one report. It never fails, and begins at once, so that reports are stored in the order of their frames. */
  receive(report: unknown): Promise<StreamedOutcome>;
  /** Bytes of reports that are being stored before no more are read. */
  readonly mostBytes: number;
  readonly pingMs: number;
}

export interface ReportStream {
  /** Takes in no more, answers what was taken in, and closes. */
  stop(): void;
}

/** Serves one web socket of a device: each report is answered when it is durable, several can be under way. */
export function serveReports(socket: WebSocket, wire: Socket, desk: ReportStreamDesk): ReportStream {
  let waiting = 0;
  let waitingBytes = 0;
  let farewell: readonly [code: number, reason: string] | undefined;
  let heardAt = performance.now();

  function answer(id: MessageId | undefined, { status, content }: StreamedOutcome): void {
    if (socket.readyState === socket.OPEN) {
      gather();
      socket.send(JSON.stringify({ id, status, ...content }));
    }
    // The key was replaced: whoever has it is not the device any more.
    if (status === 401) end(1008, 'the key has ended');
  }

  /** Answers that are ready in the same turn of the event loop go out as one. */
  function gather(): void {
    if (wire.writableCorked > 0) return;
    wire.cork();
    setImmediate(() => wire.uncork());
  }

  /** A device that does not read its answers is not read from either. */
  function adjustReading(): void {
    const isFull = waiting >= MOST_WAITING || waitingBytes >= desk.mostBytes || wire.writableNeedDrain;
    if (isFull) socket.pause();
    else if (socket.isPaused) socket.resume();
  }

  function end(code: number, reason: string): void {
    farewell ??= [code, reason];
    if (waiting > 0 || socket.readyState !== socket.OPEN) return;
    socket.close(...farewell);
    if (socket.isPaused) socket.resume();
    setTimeout(() => socket.terminate(), FAREWELL_MS).unref();
  }

  async function take(data: RawData): Promise<void> {
    const text = data.toString();
    waiting += 1;
    waitingBytes += text.length;
    adjustReading();
    try {
      const { id, report } = readReportFrame(text);
      answer(id, await desk.receive(report));
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error;
      const { message } = error;
      answer(error.messageId, { status: 400, content: { error: { statusCode: 400, name: 'Error', message } } });
    } finally {
      waiting -= 1;
      waitingBytes -= text.length;
      if (farewell === undefined) adjustReading();
      else end(...farewell);
    }
  }

  socket.on('message', (data) => {
    // What comes after the end is not answered: the device sends it again.
    if (farewell === undefined) void take(data);
  });
  socket.on('pong', () => {
    heardAt = performance.now();
  });
  const pings = setInterval(() => {
    // While nothing is read, no pong is heard either.
    if (socket.isPaused) heardAt = performance.now();
    else if (performance.now() - heardAt > 2 * desk.pingMs) socket.terminate();
    else socket.ping();
  }, desk.pingMs);
  pings.unref();
  wire.on('drain', adjustReading);
  // What is wrong with a frame closes the socket with its own code.
  socket.on('error', () => {});
  socket.on('close', () => {
    clearInterval(pings);
    wire.off('drain', adjustReading);
  });

  return { stop: () => end(1001, 'the server stops') };
}
