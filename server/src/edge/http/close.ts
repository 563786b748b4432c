import type { FastifyInstance } from 'fastify';

/** Leaves time to close the store within the 10 s that an orchestrator waits before it kills the process. */
const PATIENCE_MS = 5_000;
const SWEEP_MS = 50;

/** Stops accepting requests and answers those already accepted; a stalled client cannot delay the close. */
export async function closeHttpServer(server: FastifyInstance): Promise<void> {
  const { server: connections } = server;
  // A connection that is busy now would otherwise stay open after its answer for as long as the client likes.
  const sweep = setInterval(() => connections.closeIdleConnections(), SWEEP_MS);
  // Node no longer enforces its limits on slow requests once the server is closing.
  const patience = setTimeout(() => connections.closeAllConnections(), PATIENCE_MS);
  try {
    await server.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(patience);
  }
}
