import { openApi } from '@trackway/contract/openapi.ts';
import type { Version } from '@trackway/contract/operation.ts';
import { BASES } from '@trackway/contract/operations.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readable, setPagePolicy } from './pages.ts';
import { type Guide, guides } from './reference/guides.ts';
import { escaped, inline, markdown } from './reference/markdown.ts';
import { type Chapter, chapters, type DescribedOperation } from './reference/model.ts';
import { objectSection, operationSection } from './reference/operation-section.ts';
import { PageFiles } from './reference/page-files.ts';
import { StaticFile, staticFile } from './static-files.ts';

/** Mounts the API reference: OpenAPI documents, and pages that load no files from other hosts. */
export function mountReference(server: FastifyInstance): void {
  const made = new MadeOnce();
  for (const version of ['v1', 'v2'] as const) {
    readable(server, `${BASES[version]}/openapi.json`, (request, reply) =>
      made.json(`openapi ${version}`, () => openApi(version satisfies Version)).send(request, reply),
    );
  }
  readable(server, '/docs/search.json', (request, reply) => {
    reply.header('cache-control', 'no-cache');
    return made.json('search', searchIndex).send(request, reply);
  });
  for (const path of ['/docs', '/docs/guides/:name', '/docs/api/:name'])
    readable(server, path, (request, reply) => made.page(request, reply));
  readable(server, '/docs/files/:folder/:file', (request, reply) => made.file(request, reply));
  // For external links: redirects to an operation by its name.
  readable(server, '/docs/operations/:name', (request, reply) => {
    const { name } = request.params as { name: string };
    const chapter = chapters().find(({ operations }) => operations.some((one) => one.name === name));
    return chapter ? reply.redirect(`/docs/api/${chapter.slug}#${name}`) : reply.callNotFound();
  });
}

/** Pages and documents are created on first request, since most server starts need none of them. */
class MadeOnce {
  readonly #made = new Map<string, StaticFile>();
  #files: PageFiles | undefined;

  json(name: string, make: () => unknown): StaticFile {
    return this.#once(name, 'application/json; charset=utf-8', () => JSON.stringify(make()));
  }

  async page(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const address = addressOf(request);
    if (!addresses().includes(address)) return notFound(reply);
    const page = this.#once(address, 'text/html; charset=utf-8', () => {
      this.#files ??= new PageFiles();
      return layout({ ...contentAt(address)!, at: address, files: this.#files.folder });
    });
    return page.send(request, setPagePolicy(reply).header('cache-control', 'no-cache'));
  }

  async file(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    this.#files ??= new PageFiles();
    const { folder, file } = request.params as { folder: string; file: string };
    const path = this.#files.pathOf(file);
    const found = path && (await staticFile(path));
    if (!found) return notFound(reply);
    const isCurrent = this.#files.folder.endsWith(`/${folder}`);
    reply.header('cache-control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache');
    return found.send(request, setPagePolicy(reply));
  }

  #once(name: string, type: string, make: () => string): StaticFile {
    const known = this.#made.get(name);
    if (known) return known;
    const file = new StaticFile(type, Buffer.from(make()));
    this.#made.set(name, file);
    return file;
  }
}

function notFound(reply: FastifyReply): FastifyReply {
  reply.callNotFound();
  return reply;
}

/** Addresses are case-insensitive, and a trailing slash is ignored. */
const addressOf = (request: FastifyRequest) => request.raw.url!.split('?', 1)[0]!.toLowerCase().replace(/\/+$/, '');

/** The search index of the pages. Field names are short to keep it small. */
interface SearchEntry {
  /** Title. */
  readonly t: string;
  /** Method of an operation. */
  readonly m?: string;
  /** Path of an operation, or the document that contains the section. */
  readonly p: string;
  /** Name of an operation. */
  readonly n?: string;
  /** Address. */
  readonly u: string;
  /** Other search words. */
  readonly w: string;
}

export function searchIndex(): SearchEntry[] {
  const documents = guides().flatMap(({ slug, title, text, headings }) => {
    const address = `/docs/guides/${slug}`;
    // The text after a heading, up to the next one.
    const [first = '', ...texts] = text.split(/^#{2,} .*$/m);
    const parts = headings.map(({ text: heading, id }, index) => ({
      t: heading,
      p: title,
      u: `${address}#${id}`,
      w: wordsOf(texts[index] ?? ''),
    }));
    return [{ t: title, p: 'Guide', u: address, w: wordsOf(first) }, ...parts];
  });
  const operations = chapters().flatMap(({ name, slug, operations }) =>
    operations.map((one) => ({
      t: one.summary,
      m: one.method,
      p: one.path,
      n: one.name,
      u: `/docs/api/${slug}#${one.name}`,
      w: wordsOf([name, one.about, ...fieldNames(one)].join(' ')),
    })),
  );
  return [...documents, ...operations, ...objects()];
}

/** Each object once, in the first chapter that has it. */
function objects(): SearchEntry[] {
  const found = new Map<string, SearchEntry>();
  for (const { name, slug, objects: own } of chapters())
    for (const { id, fields } of own)
      if (!found.has(id))
        found.set(id, {
          t: id,
          p: `Object of ${name}`,
          u: `/docs/api/${slug}#${id}`,
          w: wordsOf(fields.map((field) => plainName(field.name)).join(' ')),
        });
  return [...found.values()];
}

const plainName = (name: string) => name.replaceAll(/[.[\]]/g, ' ');

const fieldNames = ({ parameters, body }: DescribedOperation) =>
  [...parameters, ...(body?.fields ?? [])].map(({ name }) => plainName(name));

/** Each word once, without short words. */
const wordsOf = (text: string) => [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_-]{3,}/gu) ?? [])].join(' ');

/** The content of each page of the reference. */

interface PageContent {
  readonly title: string;
  readonly content: string;
}

/** Returns the page at an address. */
export function contentAt(address: string): PageContent | undefined {
  const [, kind, slug] = /^\/docs(?:\/(guides|api)\/([\w-]+))?$/.exec(address) ?? ['', 'none'];
  if (kind === undefined) return overview();
  if (kind === 'guides') return guidePage(guides().find((guide) => guide.slug === slug));
  return kind === 'api' ? chapterPage(chapters().find((chapter) => chapter.slug === slug)) : undefined;
}

export const addresses = (): string[] => [
  '/docs',
  ...guides().map(({ slug }) => `/docs/guides/${slug}`),
  ...chapters().map(({ slug }) => `/docs/api/${slug}`),
];

function overview(): PageContent {
  const { info } = openApi('v1') as { info: { description: string } };
  const steps = guides().filter(({ isInDepth }) => !isInDepth);
  const guideCards = steps.map(
    ({ slug, title, about }) =>
      `<li><a href="/docs/guides/${slug}"><b>${escaped(title)}</b><span>${inline(firstSentence(about), { link: () => undefined })}</span></a></li>`,
  );
  const chapterCards = chapters().map(({ slug, name, operations }) => {
    const count = operations.length === 1 ? '1 operation' : `${operations.length} operations`;
    return `<li><a href="/docs/api/${slug}"><b>${escaped(name)}</b><span>${count}</span></a></li>`;
  });
  return {
    title: 'Trackway API',
    content: `<article class="prose"><h1>Trackway API</h1>
<p>Every operation has a request that works as it stands, in curl, TypeScript and Python. To run it from here, set a token at the top of the page and open <em>Try it</em>.</p>
<h2 id="guides">Guides</h2><ul class="cards">${guideCards.join('')}</ul>
<h2 id="basics">Basics</h2>${markdown(info.description).html}
<h2 id="chapters">Operations</h2><ul class="cards small">${chapterCards.join('')}</ul></article>`,
  };
}

const firstSentence = (text: string) => /^.+?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;

function guidePage(guide: Guide | undefined): PageContent | undefined {
  if (guide === undefined) return undefined;
  const parts = guide.headings.filter(({ level }) => level === 2);
  const within =
    parts.length > 2
      ? `<nav class="contents" aria-label="On this page"><ul>${parts.map(({ id, text }) => `<li><a href="#${id}">${escaped(text)}</a></li>`).join('')}</ul></nav>`
      : '';
  return {
    title: guide.title,
    content: `<article class="prose">${guide.html.replace('</h1>', `</h1>${within}`)}</article>`,
  };
}

function chapterPage(chapter: Chapter | undefined): PageContent | undefined {
  if (chapter === undefined) return undefined;
  const { name, about, operations, objects } = chapter;
  const rows = operations.map(
    ({ name: id, method, path, summary }) =>
      `<li><a href="#${id}"><span class="method" data-method="${method}">${method}</span><code>${escaped(path)}</code><span>${escaped(summary)}</span></a></li>`,
  );
  const described = objects.length > 0 ? `<h2 id="objects">Objects</h2>${objects.map(objectSection).join('')}` : '';
  return {
    title: name,
    content: `<h1>${escaped(name)}</h1>${about && `<p>${inline(about)}</p>`}<ul class="index">${rows.join('')}</ul>${operations.map(operationSection).join('\n')}${described}`,
  };
}

/** The frame of every reference page: the bar with search and token, the list of pages, the content. */

interface PageParts {
  readonly title: string;
  /** Address of the page below /docs, as in the list of pages. */
  readonly at: string;
  readonly content: string;
  /** Folder of scripts and styles. Its name changes with their content. */
  readonly files: string;
}

export function layout({ title, at, content, files }: PageParts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title === 'Trackway API' ? title : `${title} · Trackway API`)}</title>
<link rel="icon" href="/pages/icon.svg">
<link rel="stylesheet" href="${files}/reference.css">
<script src="${files}/theme.js"></script>
<script type="module" src="${files}/reference.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="bar">
<button type="button" class="button menu" popovertarget="navigation" aria-label="List of pages"><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path d="M3 5h14M3 10h14M3 15h14" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"/></svg></button>
<a class="brand" href="/docs" aria-label="Trackway API"><img src="/pages/icon.svg" alt="" width="26" height="26"><span>Trackway API</span></a>
<div class="search scripted" role="search">
<input type="search" id="search" role="combobox" aria-expanded="false" aria-controls="results" aria-autocomplete="list" aria-label="Search the reference" placeholder="Search" autocomplete="off" spellcheck="false">
<kbd aria-hidden="true">/</kbd>
<div class="results" id="results" role="listbox" aria-label="Results" hidden></div>
<p class="unseen" role="status" id="found"></p>
</div>
<button type="button" class="button token scripted" id="token" aria-haspopup="dialog">No token</button>
<select class="theme scripted" id="theme" aria-label="Theme"><option value="system">System</option><option value="light">Light</option><option value="dark">Dark</option></select>
</header>
<div class="frame">
<nav id="navigation" popover aria-label="Pages">${navigation(at)}</nav>
<main id="content" tabindex="-1">
${content}
<footer><p>For programs: <a href="/api/openapi.json">OpenAPI, version 1</a>, <a href="/v2/openapi.json">OpenAPI, version 2</a>. <a href="/">Console</a></p></footer>
</main>
</div>
</body>
</html>
`;
}

function navigation(at: string): string {
  const [steps, depth] = [false, true].map((isInDepth) => guides().filter((guide) => guide.isInDepth === isInDepth));
  const guideLinks = (some: typeof steps) =>
    some!.map(({ slug, title }) => entry(`/docs/guides/${slug}`, escaped(title), at)).join('');
  const chapterLinks = chapters()
    .map((chapter) => entry(`/docs/api/${chapter.slug}`, escaped(chapter.name), at, operationLinks(chapter, at)))
    .join('');
  return [
    group('guides', 'Guides', entry('/docs', 'Overview', at) + guideLinks(steps)),
    group('operations', 'Operations', chapterLinks),
    group('depth', 'In depth', guideLinks(depth)),
  ].join('');
}

const group = (id: string, name: string, entries: string) =>
  `<p class="group" id="group-${id}">${name}</p><ul aria-labelledby="group-${id}">${entries}</ul>`;

const entry = (href: string, label: string, at: string, below = '') =>
  `<li><a href="${href}"${href === at ? ' aria-current="page"' : ''}>${label}</a>${below}</li>`;

/** Only the open chapter lists its operations. */
function operationLinks({ slug, operations }: Chapter, at: string): string {
  if (at !== `/docs/api/${slug}`) return '';
  const links = operations.map(
    ({ name, method, summary }) =>
      `<li><a href="#${name}">${methodBadge(method)}<span>${escaped(summary)}</span></a></li>`,
  );
  return `<ul class="within">${links.join('')}</ul>`;
}

/** DELETE is abbreviated in narrow places. */
const methodBadge = (method: string) =>
  `<span class="method" data-method="${method}">${method === 'DELETE' ? 'DEL' : method}</span>`;
