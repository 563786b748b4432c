import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { makeBasemap } from './build/basemap.ts';
import { compressed } from './build/compressed.ts';
import { messages } from './build/messages.ts';
import { preloadStart } from './build/preload-start.ts';
import { slimContract } from './build/slim-contract.ts';

/** Address of the API for `npx vite console` during development. */
const server = process.env.TRACKWAY_URL ?? 'http://127.0.0.1:8080';

await makeBasemap();

export default defineConfig({
  root: import.meta.dirname,
  plugins: [slimContract(), messages(), react(), preloadStart(), compressed()],
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(['/api', '/v2', '/ingest', '/docs', '/pages', '/readyz'].map((path) => [path, server])),
  },
  build: {
    outDir: join(import.meta.dirname, 'dist'),
    emptyOutDir: true,
    target: ['chrome123', 'firefox128', 'safari17.5'],
    // The content security policy allows neither inline scripts nor data: workers.
    assetsInlineLimit: 0,
    // The page of a link is a separate entry: it needs neither the sign-in nor the pages of the console.
    rolldownOptions: { input: ['index.html', 'link.html'].map((page) => join(import.meta.dirname, page)) },
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
  },
});
