import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Aedes } from 'aedes';
import mqtt from 'mqtt';

/** A broker of MQTT on this machine, and a client that publishes. */
export async function startBroker(t: { after(end: () => unknown): void }) {
  const broker = await Aedes.createBroker();
  broker.on('clientError', () => {});
  broker.on('connectionError', () => {});
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    broker.handle(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await new Promise<void>((resolve) => broker.close(() => resolve()));
  });
  const url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = await mqtt.connectAsync(url, { reconnectPeriod: 0 });
  t.after(() => client.end(true));
  return {
    url,
    publish: (topic: string, body: object) => client.publishAsync(topic, JSON.stringify(body), { qos: 1 }),
  };
}
