import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { apiFiles } from '../server/src/edge/http/reference/api-markdown.ts';
import { markdown } from '../server/src/edge/http/reference/markdown.ts';
import { ROOT } from './step.ts';

const FOLDER = join(ROOT, 'docs/api');

test('docs/api says what the contract says', () => {
  const files = apiFiles();
  assert.deepEqual(globSync('*', { cwd: FOLDER }).sort(), [...files.keys()].sort(), 'run `npm run docs`');
  for (const [name, text] of files)
    assert.equal(
      readFileSync(join(FOLDER, name), 'utf8') === text,
      true,
      `docs/api/${name} is old: run \`npm run docs\``,
    );
});

test('links between documents lead to a file, and to a part of it', () => {
  const wrong = globSync('docs/**/*.md', { cwd: ROOT }).flatMap((file) =>
    linksIn(file)
      .filter((target) => !/^https?:/.test(target) && !leads(file, target))
      .map((target) => `${file}: ${target}`),
  );
  assert.deepEqual(wrong, []);
});

function linksIn(file: string): string[] {
  const links: string[] = [];
  markdown(readFileSync(join(ROOT, file), 'utf8'), {
    link: (target) => {
      links.push(target);
      return target;
    },
  });
  return links;
}

function leads(file: string, target: string): boolean {
  const [path = '', part] = target.split('#');
  const place = path === '' ? join(ROOT, file) : join(ROOT, dirname(file), path);
  if (!existsSync(place)) return false;
  if (part === undefined || !place.endsWith('.md')) return true;
  const text = readFileSync(place, 'utf8');
  return text.includes(`<a id="${part}"></a>`) || markdown(text).headings.some(({ id }) => id === part);
}
