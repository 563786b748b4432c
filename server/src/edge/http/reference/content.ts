import { openApi } from '@trackway/contract/openapi.ts';
import { type Guide, guides } from './guides.ts';
import { inline, markdown } from './markdown.ts';
import { escaped } from './markup.ts';
import { type Chapter, chapters } from './model.ts';
import { objectSection, operationSection } from './operation-section.ts';

/** The content of each page of the reference. */

export interface PageContent {
  readonly title: string;
  readonly content: string;
}

/** Pages by their address. */
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
