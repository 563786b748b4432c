import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';

const LIBRARY = join(dirname(createRequire(import.meta.url).resolve('maplibre-gl/package.json')), 'src');
const INDEX = join(LIBRARY, 'index.ts');
const WORKER = 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';

/** The decoder of tiles in the format MLT, which no known public map uses yet: 15 kB of each first load. */
const MLT = '@maplibre/mlt';
const NO_MLT = `
export const GEOMETRY_TYPE = {};
export const decodeTile = () => { throw new Error('Tiles in the format MLT are not supported'); };
`;
/** Controls of the library that the console does not have; their pictures are most of its style sheet. */
const UNUSED =
  /maplibregl-(ctrl-(icon|group|logo)|popup|user-location|cooperative|ctrl-(geolocate|compass|zoom|fullscreen|shrink))/;

/**
 * Builds the map library from its source. As published, it is two files, for the page and for the worker, which both
 * contain half a megabyte of the same code; built here, page and worker share it, and
 * unused controls are left out.
 */
export const mapLibrary = (): Plugin => ({
  name: 'trackway-map-library',
  apply: 'build',
  enforce: 'pre',
  async resolveId(id, importer, options) {
    if (id === 'maplibre-gl') return INDEX;
    if (id === WORKER || id === MLT) return `\0${id}`;
    if (importer !== INDEX || !id.startsWith('./ui/')) return null;
    const found = await this.resolve(id, importer, { ...options, skipSelf: true });
    return found && { ...found, moduleSideEffects: false };
  },
  load(id) {
    if (id === `\0${MLT}`) return NO_MLT;
    if (id !== `\0${WORKER}`) return null;
    const file = this.emitFile({ type: 'chunk', id: join(LIBRARY, 'source/worker.ts'), name: 'map-worker' });
    return `export default import.meta.ROLLUP_FILE_URL_${file};`;
  },
  transform(code, id) {
    return id.endsWith('/maplibre-gl.css') ? { code: usedRules(code), map: null } : null;
  },
});

/** Without the selectors that match nothing, and rules that have no others. */
const usedRules = (css: string) =>
  css.replace(/([^{}]+)(\{[^{}]*\})/g, (_rule, selectors: string, body: string) => {
    const used = selectors.split(',').filter((selector) => !UNUSED.test(selector));
    return used.length > 0 ? used.join(',') + body : '';
  });
