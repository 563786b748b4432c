import type { FastifyInstance } from 'fastify';

/** Leaves time to close the store within the ten seconds that an orchestrator waits. */
const PATIENCE_MS = 6_000;
const SWEEP_MS = 50;

/** Takes no more requests and answers those that were accepted; clients that stall can not hold it up. */
export async function closeHttpServer(server: FastifyInstance): Promise<void> {
  const { server: connections } = server;
  // A connection that is busy now would be kept alive once it is answered, for as long as its client likes.
  const sweep = setInterval(() => connections.closeIdleConnections(), SWEEP_MS);
  // Node's own limits on slow requests are off from here on.
  const patience = setTimeout(() => connections.closeAllConnections(), PATIENCE_MS);
  try {
    await server.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(patience);
  }
}
