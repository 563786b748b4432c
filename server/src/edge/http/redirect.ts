import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;
const CHALLENGE = /^\/\.well-known\/acme-challenge\/([\w-]{1,200})$/;
const SECONDS = 1000;

interface RedirectOptions {
  readonly host: string;
  readonly port: number;
  /** The port that serves HTTPS. */
  readonly httpsPort: number;
  /** The public URL of the settings; empty if none. */
  readonly publicUrl: string;
  /** The answer to an ACME challenge; undefined for an unknown one. */
  readonly challengeAnswer?: ((token: string) => Promise<string | undefined>) | undefined;
}

/** Redirects requests over plain HTTP to the same path over HTTPS. */
export async function startRedirect(options: RedirectOptions): Promise<Server> {
  const { host, port, httpsPort, publicUrl, challengeAnswer } = options;
  const limits = { headersTimeout: 10 * SECONDS, requestTimeout: 10 * SECONDS, keepAliveTimeout: SECONDS };
  const server = createServer(limits, ({ headers, url = '/' }, response) => {
    const token = challengeAnswer && CHALLENGE.exec(url)?.[1];
    if (token !== undefined) {
      challengeAnswer!(token).then(
        (answer) => response.writeHead(answer ? 200 : 404, { 'content-type': 'application/octet-stream' }).end(answer),
        () => response.writeHead(503).end(),
      );
      return;
    }
    const name = HOST.exec(headers.host ?? '')?.[1];
    const origin = publicUrl.startsWith('https:')
      ? new URL(publicUrl).origin
      : name && `https://${name}${httpsPort === 443 ? '' : `:${httpsPort}`}`;
    if (!origin || !url.startsWith('/')) response.writeHead(400).end();
    else response.writeHead(308, { location: origin + url }).end();
  });
  server.listen({ host, port });
  await once(server, 'listening');
  return server;
}
