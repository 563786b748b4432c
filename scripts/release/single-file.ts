import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';

const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 12 } };
/** Node looks for it, see its documentation of single executable applications. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Makes a copy of each Node that has the server in it. All have the version of the Node that runs this. */
export function writeSingleFiles(
  app: string,
  targets: readonly { readonly node: string; readonly file: string }[],
): void {
  const work = mkdtempSync(join(tmpdir(), 'trackway-single-file-'));
  const at = (name: string) => join(work, name);
  try {
    const paths = readdirSync(app, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    const contents = paths.map((path) => readFileSync(path));
    const index = JSON.stringify(
      paths.map((path, number) => ({ path: relative(app, path), size: contents[number]!.length })),
    );
    const files = Buffer.concat(contents);
    writeFileSync(at('index'), index);
    writeFileSync(at('files'), zstdCompressSync(files, LEVEL));
    writeFileSync(at('id'), createHash('sha256').update(index).update(files).digest('hex').slice(0, 16));
    writeFileSync(
      at('config.json'),
      JSON.stringify({
        main: join(import.meta.dirname, 'single-file-main.cjs'),
        output: at('blob'),
        disableExperimentalSEAWarning: true,
        assets: { index: at('index'), files: at('files'), id: at('id') },
      }),
    );
    execFileSync('node', ['--experimental-sea-config', at('config.json')], { stdio: ['ignore', 'ignore', 'inherit'] });
    for (const { node, file } of targets) {
      copyFileSync(node, file);
      chmodSync(file, 0o755);
      execFileSync('postject', [file, 'NODE_SEA_BLOB', at('blob'), '--sentinel-fuse', FUSE], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    }
  } finally {
    rmSync(work, { recursive: true });
  }
}
