import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';

/** Receivers of webhooks that do what no receiver should. */
const DOES: Readonly<Record<string, (socket: Socket) => void>> = {
  'never answers': () => {},
  'closes at once': (socket) => socket.destroy(),
  resets: (socket) => socket.resetAndDestroy(),
  'answers with no HTTP': (socket) => socket.end('220 smtp.example.org ESMTP\r\n'),
  'answers 500': (socket) => answer(socket, '500 Internal Server Error'),
  'redirects to the server itself': (socket) =>
    answer(socket, '302 Found', 'Location: http://127.0.0.1:80/metrics\r\n'),
  'sends a body without end': (socket) => endless(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n'),
  'sends headers without end': (socket) => endless(socket, 'HTTP/1.1 200 OK\r\nX-Filler: '),
  'answers a byte a second': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
};

export interface HostileDestination extends Disposable {
  readonly name: string;
  readonly address: string;
}

export async function hostileDestinations(): Promise<HostileDestination[]> {
  return Promise.all(Object.entries(DOES).map(([name, does]) => listen(name, does)));
}

async function listen(name: string, does: (socket: Socket) => void): Promise<HostileDestination> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.once('data', () => does(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    name,
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    [Symbol.dispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const answer = (socket: Socket, status: string, headers = '') =>
  socket.end(`HTTP/1.1 ${status}\r\n${headers}Content-Length: 0\r\n\r\n`);

function endless(socket: Socket, head: string): void {
  const filler = Buffer.alloc(64 * 1024, 'x');
  const more = () => {
    while (socket.writable && socket.write(filler));
  };
  socket.on('drain', more);
  socket.write(head);
  more();
}

function drip(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => {
    if (at >= text.length || !socket.writable) return clearInterval(timer);
    socket.write(text[at]!);
    at += 1;
  }, 1000);
  socket.on('close', () => clearInterval(timer));
}
