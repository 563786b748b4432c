import type { IPublishPacket, MqttClient } from 'mqtt';

export interface WindowOptions {
  /** Messages, and their bytes, that may be under way before the broker must wait. */
  readonly messages: number;
  readonly bytes: number;
  /** Whether the broker may forget it. It is called in the order of the messages. */
  readonly read: (packet: IPublishPacket) => Promise<boolean>;
}

export interface MqttWindow {
  /** From now on nothing more is read; resolves once what is under way was acknowledged. */
  close(): Promise<void>;
}

/**
 * Reads the messages of a connection side by side, so that they share a transaction. Each is acknowledged once what it says
 * is durable, in the order in which they came, as MQTT wants it: where one may not be forgotten, none after it is.
 */
export function openWindow(client: MqttClient, { messages, bytes, read }: WindowOptions): MqttWindow {
  const ids = new WeakMap<object, number>();
  let acknowledged = Promise.resolve();
  let waiting: (() => void)[] = [];
  let isClosed = false;
  const underWay = { messages: 0, bytes: 0 };
  const isFull = () => underWay.messages >= messages || underWay.bytes >= bytes;

  // The client would acknowledge a message before it reads the next. To it, each is one that needs no acknowledgement.
  client.on('packetreceive', (packet) => {
    if (packet.cmd !== 'publish' || packet.qos !== 1 || packet.messageId === undefined) return;
    ids.set(packet, packet.messageId);
    packet.qos = 0;
  });

  async function settle(packet: IPublishPacket, isDone: Promise<boolean>): Promise<void> {
    const mayForget = await isDone;
    underWay.messages--;
    underWay.bytes -= packet.payload.length;
    const messageId = ids.get(packet);
    // Over the next connection it comes again, and all after it.
    if (!mayForget) client.end(true);
    else if (messageId !== undefined && client.connected) client['_sendPacket']({ cmd: 'puback', messageId });
    if (isFull()) return;
    const ready = waiting;
    waiting = [];
    for (const goOn of ready) goOn();
  }

  client.handleMessage = (packet, done) => {
    if (isClosed || client.disconnecting) return;
    underWay.messages++;
    underWay.bytes += packet.payload.length;
    const isDone = read(packet);
    acknowledged = acknowledged.then(() => settle(packet, isDone));
    if (isFull()) waiting.push(done);
    else done();
  };

  return {
    close() {
      isClosed = true;
      return acknowledged;
    },
  };
}
