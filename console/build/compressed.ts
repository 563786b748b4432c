import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const COMPRESSIBLE = /\.(html|js|mjs|css|svg|json|pbf)$/;
const SMALLEST_BYTES = 1024;

/** Writes a gzip and a brotli file beside each text file of the build, so that serving costs no compression. */
export function compressed(): Plugin {
  let folder = '';
  return {
    name: 'trackway-compressed',
    apply: 'build',
    configResolved(config) {
      folder = config.build.outDir;
    },
    async closeBundle() {
      const files = await readdir(folder, { recursive: true });
      await Promise.all(files.filter((name) => COMPRESSIBLE.test(name)).map((file) => compress(join(folder, file))));
    },
  };
}

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < SMALLEST_BYTES) return;
  const quality = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } };
  const [zipped, smaller] = await Promise.all([
    promisify(gzip)(bytes, { level: 9 }),
    promisify(brotliCompress)(bytes, quality),
  ]);
  await writeFile(`${path}.gz`, zipped);
  await writeFile(`${path}.br`, smaller);
}
