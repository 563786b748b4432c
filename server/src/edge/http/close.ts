import type { FastifyInstance } from 'fastify';

const SWEEP_MS = 50;

/**
 * Stops accepting requests and completes the accepted ones; a stalled client cannot delay the close.
 * @param patienceMs shorter than the time limit of the whole shutdown, so that there is time to close the store
 */
export async function closeHttpServer(server: FastifyInstance, patienceMs = 5_000): Promise<void> {
  const { server: connections } = server;
  // A connection that is busy now would otherwise stay open after its response until the client closes it.
  const sweep = setInterval(() => connections.closeIdleConnections(), SWEEP_MS);
  // Node no longer enforces its limits on slow requests once the server is closing.
  const patience = setTimeout(() => connections.closeAllConnections(), patienceMs);
  try {
    await server.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(patience);
  }
}
