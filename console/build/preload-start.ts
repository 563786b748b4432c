import type { HtmlTagDescriptor, Plugin, Rolldown } from 'vite';

/**
 * The console starts once the texts of its language are there. Its own script is fetched beside them, so that neither
 * waits for the other.
 */
export const preloadStart = (): Plugin => ({
  name: 'trackway-preload-start',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle, filename }) {
      if (bundle === undefined || !filename.endsWith('index.html')) return [];
      const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
      const start = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/src/start.tsx'));
      if (start === undefined) throw new Error('The console has no start');
      return [start.fileName, ...importsOf(start, bundle)].map(preload);
    },
  },
});

const preload = (file: string): HtmlTagDescriptor => ({
  tag: 'link',
  attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
  injectTo: 'head',
});

function importsOf(chunk: Rolldown.OutputChunk, bundle: Rolldown.OutputBundle, seen = new Set<string>()): Set<string> {
  for (const file of chunk.imports) {
    const imported = bundle[file];
    if (seen.has(file) || imported?.type !== 'chunk') continue;
    seen.add(file);
    importsOf(imported, bundle, seen);
  }
  return seen;
}
