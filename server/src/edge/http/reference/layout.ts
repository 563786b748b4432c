import { guides } from './guides.ts';
import { escaped } from './markup.ts';
import { type Chapter, chapters } from './model.ts';

/** The frame of every page of the reference: the bar with search and token, the list of pages, the content. */

export interface PageParts {
  readonly title: string;
  /** Address of the page below /docs, as in the list. */
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

/** Only the chapter that is open shows its operations. */
function operationLinks({ slug, operations }: Chapter, at: string): string {
  if (at !== `/docs/api/${slug}`) return '';
  const links = operations.map(
    ({ name, method, summary }) =>
      `<li><a href="#${name}">${methodBadge(method)}<span>${escaped(summary)}</span></a></li>`,
  );
  return `<ul class="within">${links.join('')}</ul>`;
}

/** DELETE is shortened where room is little. */
export const methodBadge = (method: string) =>
  `<span class="method" data-method="${method}">${method === 'DELETE' ? 'DEL' : method}</span>`;
