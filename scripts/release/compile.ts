import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { layersOf } from './layers.ts';
import { reachable } from './reachable.ts';

const ENTRY = 'cli/src/main.ts';
/** Work of every server from its start on. A thread loads the rest with the first report. */
const EARLY = 'server/src/domain/tracking/timers/pack-trips.ts';
/** Packages that few servers need, loaded when they are first used. All others are compiled in. */
export const LOADED_LATER = [
  '@aws-sdk/client-sqs',
  '@simplewebauthn/server',
  'mqtt',
  'nodemailer',
  'pdfkit',
  'pg',
  're2js',
  'web-push',
];
/** Stands in compiled code for the way from the file it comes to lie in up to the root. */
const UP = 'UP_TO_THE_ROOT';
const PACKAGE = /.*\/node_modules\/(?<name>(?:@[^/]+\/)?[^/]+)/;

/**
 * Compiles the command and the packages it needs at once into few files, since a server that loads two thousand
 * modules starts three times as slowly. The command, the modules of threads and those with work for threads keep
 * their places; what they share lies in `shared/`. Every source sees its old place by `import.meta`.
 *
 * @returns the folders of the packages that are compiled in
 */
export async function compile(root: string, folder: string): Promise<string[]> {
  const { threads, works, reads } = entriesOf(root);
  const entries = [...new Set([ENTRY, ...threads, ...works, ...reads])];
  const layerOf = layersOf(root, { thread: threads, early: [EARLY], work: works, reading: reads });
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((file) => [file.replace(/\.ts$/, ''), join(root, file)])),
    platform: 'node',
    // A thread finds its work among whatever a module exports.
    preserveEntrySignatures: 'allow-extension',
    // It would drop calls that are made for their exceptions, such as a `decodeURIComponent(text)` that checks a text.
    treeshake: false,
    external: (id) => LOADED_LATER.some((name) => id === name || id.startsWith(`${name}/`)),
    logLevel: 'warn',
    plugins: [
      {
        name: 'places',
        transform: (code, id) => (id.startsWith(root) && !PACKAGE.test(id) ? placed(code, relative(root, id)) : null),
        renderChunk: (code, { fileName }) => inAscii(withoutFacade(code.replaceAll(UP, wayUp(fileName)))),
      },
    ],
  });
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name]-[hash].js',
    codeSplitting: {
      groups: [{ name: (id, bundle) => layerOf(id, (of) => bundle.getModuleInfo(of)), debugName: 'layers' }],
      includeDependenciesRecursively: false,
    },
    // The default removes calls too whose answer nobody uses, see `treeshake`.
    minify: false,
    comments: { legal: true, jsdoc: false, annotation: false },
  });
  await build.close();
  const modules = output.flatMap((part) => (part.type === 'chunk' ? Object.keys(part.modules) : []));
  return [...new Set(modules.flatMap((id) => PACKAGE.exec(id)?.[0] ?? []))].sort();
}

/** A module of a thread is named by its address; one with work hands its own address to threads. */
function entriesOf(root: string) {
  const [threads, works, reads] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const file of reachable(root, [ENTRY])) {
    const source = readFileSync(join(root, file), 'utf8');
    for (const [, thread] of source.matchAll(/new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g))
      threads.add(join(dirname(file), thread!));
    if (!/^ *(?:.*define\w*Work\()?import\.meta\.url,/m.test(source)) continue;
    (/defineWork\(/.test(source) ? works : reads).add(file);
  }
  return { threads: [...threads], works: [...works], reads: [...reads] };
}

/** The source with its own place instead of that of the file it is compiled into. */
function placed(source: string, file: string): string {
  return source
    .replaceAll(/new URL\('(\.[^']+)\.ts', import\.meta\.url\)/g, `new URL('$1.js', import.meta.url)`)
    .replaceAll('import.meta.url', `new URL('${UP}/${file.replace(/\.ts$/, '.js')}', import.meta.url).href`)
    .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${UP}/${dirname(file)}')`);
}

const wayUp = (file: string) => file.split('/').slice(1).fill('..').join('/') || '.';

/**
 * A module that imports `node:http` makes Node load its whole client of the web, for the sake of exports that nobody
 * asked for: two megabytes, and a thirtieth of the start.
 */
const withoutFacade = (code: string) =>
  code.replaceAll(
    /^import \{ ([^}]+) \} from "node:http";$/gm,
    (_, names: string) => `const { ${names.replaceAll(' as ', ': ')} } = process.getBuiltinModule("node:http");`,
  );

/**
 * One character beyond Latin-1 makes the engine hold the whole text of a file, for as long as the server runs, in two bytes
 * for each character. So these are written as escapes, which mean the same in texts, templates, patterns and names.
 */
function inAscii(code: string): string {
  const unsafe = /String\.raw`[^`]*[^\0-\x7f]|\\[^\0-\x7f]/.exec(code)?.[0];
  if (unsafe !== undefined) throw new Error(`An escape would change its meaning: ${unsafe.slice(-80)}`);
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The licences of packages, as they ask to be handed on with their code. */
export function licencesOf(folders: readonly string[]): string {
  return folders
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((found) => /^(licen[cs]e|copying)/i.test(found));
      const text = file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8').trim() : license;
      return `${name} ${version}\n\n${text}\n`;
    })
    .join(`\n${'─'.repeat(80)}\n\n`);
}
