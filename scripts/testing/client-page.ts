import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

/** Where a browser finds the modules that the package names. */
const IMPORTS = {
  '@trackway/client': '/node_modules/@trackway/client/index.js',
  typebox: '/node_modules/typebox/build/index.mjs',
};
const PAGE = `<!doctype html><meta charset="utf-8"><title>A page</title><link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script><main>A page that uses the client</main>`;
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.mjs': 'text/javascript' };

export interface ClientPage {
  readonly address: string;
  stop(): Promise<void>;
}

/** A page of another origin than the server, which loads the packages of a project as they are. */
export async function serveClientPage(project: string): Promise<ClientPage> {
  const server = createServer(({ url }, answer) => {
    const path = normalize(new URL(url!, 'http://page').pathname);
    if (path === '/') return answer.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE);
    const [file, type] = [join(project, path), TYPES[extname(path)]];
    if (type === undefined || !existsSync(file)) return answer.writeHead(404).end();
    answer.setHeader('content-type', type);
    createReadStream(file).pipe(answer);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
