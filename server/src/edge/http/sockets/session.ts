import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Caller, LiveStream, Right, StreamedEvent, StreamSink, WantedStream } from '../../../calls.ts';
import {
  acknowledgement,
  BadFrame,
  contentOf,
  dataOf,
  type Encoding,
  errorFrame,
  type InFrame,
  identifiersIn,
  incoming,
  isEncoding,
  type MessageContent,
  type MessageId,
  readFrame,
  serviceFrame,
  subscription,
  UnreadableData,
} from './frames.ts';

/** Maximum number of devices of one socket. */
export const MAX_DEVICES = 1000;
/** Reading pauses while this many frames are waiting. */
const MOST_WAITING = 16;
/** Time limit for the client to confirm the close. */
const FAREWELL_MS = 2000;

/** Dependencies of a socket. Each result is valid only at the time of the call. */
export interface SocketContext {
  /** The caller. Throws if the token has ended or the caller exceeds the rate limit. */
  admitFrame(): Promise<Caller>;
  deviceOf(caller: Caller, identifier: string): Promise<number | undefined>;
  rightOn(caller: Caller, deviceId: number): Promise<Right | undefined>;
  sendMessage(caller: Caller, deviceId: number, right: Right, content: MessageContent): Promise<void>;
  open(wanted: WantedStream, sink: StreamSink): LiveStream;
  /** The error message for the client, and whether its token has ended. */
  explain(error: unknown): { readonly message: string; readonly isUnknown: boolean };
}

interface SocketOptions {
  readonly encoding: Encoding;
  /** The identifiers in the address, and their devices. */
  readonly devices: readonly { readonly identifier: string; readonly id: number | undefined }[];
  /** Whether the socket is for one device, so that frames do not name it. */
  readonly isForOne: boolean;
  readonly after?: string;
  readonly pingMs: number;
}

type EndReason = Parameters<StreamSink['end']>[0];

const FAREWELLS: Record<EndReason, readonly [code: number, reason: string]> = {
  left: [1000, ''],
  stop: [1001, 'the server stops'],
  token: [1008, 'the token has ended'],
  rights: [1008, 'access to the device has ended'],
  failure: [1011, 'internal server error'],
  slow: [1013, 'the client reads too slowly'],
};

/** Serves one web socket: sends the events of its live stream, and answers frames of the client in order. */
export function serveSocket(socket: WebSocket, wire: Socket, context: SocketContext, options: SocketOptions): void {
  const { isForOne } = options;
  const known = options.devices.flatMap(({ id }) => id ?? []);
  const watched = new Set(known);
  let waiting = 0;
  let turn = Promise.resolve();
  let lastDataAt = performance.now();

  const nameOf = (deviceId: number) => (isForOne ? undefined : deviceId);
  const isOpen = () => socket.readyState === socket.OPEN;
  const send = (frame: string) => {
    if (isOpen()) socket.send(frame);
  };
  const close = (reason: EndReason) => {
    if (socket.readyState === socket.CLOSED) return;
    socket.close(...FAREWELLS[reason]);
    setTimeout(() => socket.terminate(), FAREWELL_MS).unref();
  };

  const stream = context.open(
    { devices: known, after: options.after, staysOpen: !isForOne },
    {
      write(_bytes, event) {
        if (event !== undefined) deliver(event);
        return !wire.writableNeedDrain;
      },
      end: close,
    },
  );

  function deliver(event: StreamedEvent): void {
    const deviceId = event.about.find((id) => watched.has(id));
    if (event.name === 'reset') send(serviceFrame(undefined, event));
    else if (event.name === undefined || deviceId === undefined) return;
    else if (event.name === 'access') sendAccess(deviceId, JSON.parse(event.data));
    else if (event.name === 'message') deliverMessage(deviceId, event);
    else send(serviceFrame(nameOf(deviceId), event));
  }

  function deliverMessage(deviceId: number, event: StreamedEvent): void {
    const message = JSON.parse(event.data);
    const { encoding } = options;
    send(
      message.mobileTerminated === false
        ? incoming(nameOf(deviceId), dataOf(message, encoding), encoding, message.created)
        : serviceFrame(nameOf(deviceId), event),
    );
  }

  /** The end of access is reported; if it was the only device, the stream ends by itself. */
  function sendAccess(deviceId: number, { right }: { right: Right | null }): void {
    if (right !== null || isForOne) return;
    forget(deviceId);
    send(subscription('unsubscribed', deviceId));
  }

  function forget(deviceId: number): void {
    watched.delete(deviceId);
    stream.remove(deviceId);
  }

  async function answer(text: string): Promise<void> {
    let messageId: MessageId | undefined;
    try {
      const caller = await context.admitFrame();
      const frame = readFrame(text);
      messageId = frame.messageId;
      await obey(caller, frame);
    } catch (error) {
      const isBad = error instanceof BadFrame;
      const { message, isUnknown } = isBad ? { message: error.message, isUnknown: false } : context.explain(error);
      if (isUnknown) close('token');
      else send(errorFrame(message, isBad ? (error.messageId ?? messageId) : messageId));
    }
  }

  async function obey(caller: Caller, frame: InFrame): Promise<void> {
    if (frame.type === 'out') return sendOut(caller, frame);
    if (frame.type !== 'subscribe' && frame.type !== 'unsubscribe')
      throw new BadFrame(`unknown type: ${frame.type.slice(0, 100)}`, frame.messageId);
    if (isForOne) throw new BadFrame('this socket is for one device', frame.messageId);
    const identifiers = identifiersIn(frame.data);
    if (identifiers.length === 0) throw new BadFrame('data must name devices', frame.messageId);
    if (identifiers.length > MAX_DEVICES)
      throw new BadFrame(`data must not name more than ${MAX_DEVICES} devices`, frame.messageId);
    for (const identifier of identifiers) {
      const deviceId = await context.deviceOf(caller, identifier);
      if (frame.type === 'subscribe') subscribe(identifier, deviceId, frame.messageId);
      else unsubscribe(identifier, deviceId, frame.messageId);
    }
  }

  function subscribe(identifier: string, deviceId: number | undefined, messageId?: MessageId): void {
    if (deviceId === undefined) send(errorFrame(notFound(identifier), messageId));
    else if (!watched.has(deviceId) && watched.size >= MAX_DEVICES)
      send(errorFrame(`a socket has at most ${MAX_DEVICES} devices`, messageId));
    else {
      watched.add(deviceId);
      stream.add(deviceId);
      send(subscription('subscribed', deviceId, messageId));
    }
  }

  /** Also answered without a subscription. A device that is no longer visible is named as the client named it. */
  function unsubscribe(identifier: string, deviceId: number | undefined, messageId?: MessageId): void {
    if (deviceId !== undefined) forget(deviceId);
    send(subscription('unsubscribed', deviceId ?? identifier.slice(0, 100), messageId));
  }

  async function sendOut(caller: Caller, { device, data, encoding, messageId }: InFrame): Promise<void> {
    const [identifier] = isForOne ? [options.devices[0]!.identifier] : identifiersIn(device);
    if (identifier === undefined) throw new BadFrame('device is required', messageId);
    if (data === undefined) throw new BadFrame('data is required', messageId);
    const used = encoding ?? options.encoding;
    if (!isEncoding(used)) throw new BadFrame('encoding must be json, hex, decimal or base64', messageId);
    const deviceId = isForOne ? known[0]! : await context.deviceOf(caller, identifier);
    const right = deviceId === undefined ? undefined : await context.rightOn(caller, deviceId);
    if (deviceId === undefined || right === undefined) throw new BadFrame(notFound(identifier), messageId);
    if (right === 'view') throw new BadFrame(`access denied: ${identifier.slice(0, 100)}`, messageId);
    await context.sendMessage(caller, deviceId, right, readContent(data, used, messageId));
    send(acknowledgement(messageId));
  }

  /** Waits until the sent data has left the buffer, so that a client that does not read is not read from either. */
  const room = () =>
    new Promise<void>((resolve) => {
      const go = () => {
        wire.off('drain', go);
        socket.off('close', go);
        resolve();
      };
      wire.on('drain', go);
      socket.on('close', go);
      if (!wire.writableNeedDrain || !isOpen()) go();
    });

  socket.on('message', (data) => {
    waiting += 1;
    if (waiting > MOST_WAITING) socket.pause();
    const text = data.toString();
    turn = turn.then(async () => {
      if (isOpen()) await answer(text);
      await room();
      waiting -= 1;
      if (waiting === 0 && socket.isPaused) socket.resume();
    });
  });
  socket.on('pong', () => {
    lastDataAt = performance.now();
  });
  const pings = setInterval(() => {
    if (performance.now() - lastDataAt > 2 * options.pingMs) socket.terminate();
    else socket.ping();
  }, options.pingMs);
  pings.unref();
  wire.on('drain', () => stream.drained());
  // An invalid frame closes the socket with its own code.
  socket.on('error', () => {});
  socket.on('close', () => {
    clearInterval(pings);
    stream.end();
  });

  if (!isForOne) for (const { identifier, id } of options.devices) subscribe(identifier, id);
}

const notFound = (identifier: string) => `device not found: ${identifier.slice(0, 100)}`;

function readContent(data: unknown, encoding: Encoding, messageId: MessageId | undefined): MessageContent {
  try {
    return contentOf(data, encoding);
  } catch (error) {
    if (error instanceof UnreadableData) throw new BadFrame(error.message, messageId);
    throw error;
  }
}
