import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { codeBlock } from './code-block.ts';
import { type Heading, markdown } from './markdown.ts';
import { chapters } from './model.ts';

/** The documents that the reference shows besides operations. Their source is the Markdown in docs/. */

const FOLDER = join(import.meta.dirname, '../../../../../docs');

/** What one wants to do, and how. */
const STEPS = ['first-call', 'filters', 'ingest', 'webhooks', 'errors', 'retention'];
/** The rules behind it. */
const DEPTH = ['filter', 'reporting', 'trackers', 'delivery', 'access', 'rights', 'accounts'];

const FILES: Readonly<Record<string, string>> = Object.fromEntries([
  ...STEPS.map((name) => [name, `guides/${name}.md`]),
  ...DEPTH.map((name) => [inDepth(name), `${name}.md`]),
]);

/** The address of a rule must differ from that of the guide of a similar name. */
function inDepth(name: string): string {
  return name === 'filter' ? 'filter-language' : name;
}

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
 * Where a link of a document leads on the page: to another document, or to a chapter of the reference. A link to any
 * other file of the repository leads nowhere here.
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
