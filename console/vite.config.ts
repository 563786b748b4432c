import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { makeBasemap } from './build/basemap.ts';
import { compressed } from './build/compressed.ts';
import { mapLibrary } from './build/map-library.ts';
import { messages } from './build/messages.ts';
import { preloadStart } from './build/preload-start.ts';
import { slimContract } from './build/slim-contract.ts';

/** Address of the API for `npx vite console` during development. */
const server = process.env.TRACKWAY_URL ?? 'http://127.0.0.1:8080';

await makeBasemap();

export default defineConfig({
  root: import.meta.dirname,
  plugins: [slimContract(), mapLibrary(), messages(), react(), preloadStart(), compressed()],
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(['/api', '/v2', '/ingest', '/docs', '/pages', '/readyz'].map((path) => [path, server])),
  },
  // The map library is written for it: a field without a value must not replace the one of a base class.
  oxc: { typescript: { removeClassFieldsWithoutInitializer: true }, assumptions: { setPublicClassFields: true } },
  build: {
    outDir: join(import.meta.dirname, 'dist'),
    emptyOutDir: true,
    target: ['chrome123', 'firefox128', 'safari17.5'],
    // The content security policy allows neither inline scripts nor data: workers.
    assetsInlineLimit: 0,
    // The page of a link is a separate entry: it needs neither the sign-in nor the pages of the console.
    rolldownOptions: {
      input: ['index.html', 'link.html'].map((page) => join(import.meta.dirname, page)),
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          // What is loaded together anyway: each file costs half a kilobyte of headers and what it repeats.
          groups: [
            {
              name: 'base',
              test: /node_modules\/(react|react-dom|scheduler)\/|console\/src\/(format|texts|(language|preferences|store|units)\.ts$)|vite\/preload/,
            },
            {
              name: 'map-parts',
              test: /console\/src\/(geo|map\/(camera|colors|basemap|fleet\/device-sprites|track\/track-pictures))/,
            },
          ],
        },
      },
    },
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
  },
});
