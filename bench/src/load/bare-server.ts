import { text } from 'node:stream/consumers';
import { fastify } from 'fastify';

/** Fastify alone: no caller, no rights, no store. Reads the answers to give as JSON, by route. */

const answers = JSON.parse(await text(process.stdin)) as Record<string, unknown>;
const server = fastify();
for (const [route, answer] of Object.entries(answers)) {
  const [method, url] = route.split(' ') as ['GET' | 'POST', string];
  server.route({ method, url, handler: async () => answer });
}
console.log(`Bare Fastify is at ${await server.listen({ host: '127.0.0.1', port: 0 })}`);
process.once('SIGTERM', () => process.exit(0));
