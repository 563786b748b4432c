import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Maximum number of requests that wait for the response before them, on one connection and on all connections together.
 */
const MOST_WAITING = 256;
const MOST_WAITING_IN_ALL = 20_000;

/** The response in progress on a connection, and the requests waiting behind it. */
interface Line {
  answer: ServerResponse | undefined;
  readonly waiting: { readonly request: IncomingMessage; readonly response: ServerResponse }[];
}

/**
 * Handles one request of a connection at a time. Node reads further requests while a response is being sent, and would
 * build all responses for a client that never reads any.
 */
export function inTurn(handle: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  let waitingInAll = 0;

  function serve(line: Line, request: IncomingMessage, response: ServerResponse): void {
    line.answer = response;
    handle(request, response);
    if (line.waiting.length > 0) line.answer.once('close', () => next(line));
  }

  function next(line: Line): void {
    const behind = line.waiting.shift();
    if (behind === undefined) return;
    waitingInAll -= 1;
    if (behind.request.socket.destroyed) {
      waitingInAll -= line.waiting.length;
      line.waiting.length = 0;
    } else serve(line, behind.request, behind.response);
  }

  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    let line = lines.get(socket);
    if (line === undefined) {
      line = { answer: undefined, waiting: [] };
      lines.set(socket, line);
    }
    const isFree = line.answer === undefined || line.answer.writableFinished || line.answer.destroyed;
    if (isFree && line.waiting.length === 0) {
      serve(line, request, response);
      return;
    }
    if (line.waiting.length >= MOST_WAITING || waitingInAll >= MOST_WAITING_IN_ALL) {
      socket.destroy();
      return;
    }
    waitingInAll += 1;
    line.waiting.push({ request, response });
    if (line.waiting.length === 1) {
      const current = line;
      line.answer!.once('close', () => next(current));
    }
  };
}
