import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { codeBlock, type Heading, markdown } from './markdown.ts';
import { chapters } from './model.ts';

/** The documents that the reference shows in addition to operations. Their source is the Markdown in docs/. */

const FOLDER = join(import.meta.dirname, '../../../../../docs');

/** Guides for tasks. */
const STEPS = ['first-call', 'filters', 'ingest', 'install-trackers', 'webhooks', 'errors', 'retention'];
/** Detailed rules. */
const DEPTH = ['devices/reporting', 'devices/trackers', 'use/delivery', 'use/access', 'use/rights', 'use/accounts'];

const FILES: Readonly<Record<string, string>> = Object.fromEntries(
  [...STEPS.map((name) => `guides/${name}`), ...DEPTH].map((path) => [posix.basename(path), `${path}.md`]),
);

export interface Guide {
  readonly slug: string;
  readonly title: string;
  /** Its first paragraph, as Markdown. */
  readonly about: string;
  readonly isInDepth: boolean;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly text: string;
}

let made: readonly Guide[] | undefined;

export function guides(): readonly Guide[] {
  made ??= Object.entries(FILES).map(([slug, file]) => guideOf(slug, file));
  return made;
}

function guideOf(slug: string, file: string): Guide {
  const text = readFileSync(join(FOLDER, file), 'utf8');
  const { html, headings } = markdown(text, { link: (target) => linkFrom(file, target), code: codeBlock });
  const about = /^#.*\n+((?:[^\n#`|-].*\n?)+)/.exec(text)?.[1]?.trim().replaceAll('\n', ' ') ?? '';
  return {
    slug,
    title: headings[0]!.text,
    about,
    isInDepth: !file.startsWith('guides/'),
    html,
    headings: headings.slice(1),
    text,
  };
}

/**
 * Target of a document's link on the page: another document, or a chapter of the reference. Links to other files of the
 * repository have no target here.
 */
export function linkFrom(file: string, target: string): string | undefined {
  if (/^https?:/.test(target) || target.startsWith('#')) return target;
  const [path = '', part] = target.split('#');
  const wanted = posix.join(posix.dirname(file), path);
  const ending = part === undefined ? '' : `#${part}`;
  const guide = Object.entries(FILES).find(([, other]) => other === wanted);
  if (guide) return `/docs/guides/${guide[0]}${ending}`;
  const chapter = /^api\/([\w-]+)\.md$/.exec(wanted)?.[1];
  if (chapter === 'README') return '/docs';
  return chapters().some(({ slug }) => slug === chapter) ? `/docs/api/${chapter}${ending}` : undefined;
}
