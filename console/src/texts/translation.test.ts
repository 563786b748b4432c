import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { texts as de } from './de/texts.ts';
import { texts as en } from './en/texts.ts';
import { texts as es } from './es/texts.ts';
import { texts as fr } from './fr/texts.ts';

/** The compiler finds a text that is missing. What it cannot see is looked at here. */

const TRANSLATIONS = { de, fr, es };
type Say = (...values: unknown[]) => unknown;
type Leaf = readonly [path: string, value: unknown];

function* leavesOf(value: unknown, path = ''): Generator<Leaf> {
  if (typeof value !== 'object' || value === null) yield [path, value];
  else for (const [key, inner] of Object.entries(value)) yield* leavesOf(inner, path ? `${path}.${key}` : key);
}

/** Values that can be found again in a text. Numbers stay below a thousand, which no language writes with a separator. */
const NUMBERS = [711, 722, 733];
const WORDS = ['\u2460a', '\u2461b', '\u2462c'];
/** For functions of parts: every part is a word of its own, or a list of one. */
const parts = (asList: boolean) =>
  new Proxy({}, { get: (_, name) => (asList ? [`\u2463${String(name)}`] : `\u2463${String(name)}`) });

/** Which of the values a text says, whatever kinds of values it takes. */
function saidBy(say: Say): Set<string> {
  const said = new Set<string>();
  for (const values of [
    WORDS,
    NUMBERS,
    [WORDS[0], parts(false)],
    [WORDS[0], parts(true)],
    [WORDS[0], [WORDS[1]], 722],
  ]) {
    let text: string;
    try {
      text = String(say(...values));
    } catch {
      continue;
    }
    for (const [place, word] of WORDS.entries())
      if (text.toLowerCase().includes(word) || text.includes(String(NUMBERS[place]))) said.add(String(place));
    for (const [name] of text.matchAll(/\u2463\w+/g)) said.add(name);
  }
  return said;
}

for (const [language, texts] of Object.entries(TRANSLATIONS)) {
  test(`${language}: every text says the same values as in English`, () => {
    const translated = new Map(leavesOf(texts));
    const wrong: string[] = [];
    for (const [path, value] of leavesOf(en)) {
      const other = translated.get(path);
      assert.equal(typeof other, typeof value, path);
      if (typeof value !== 'function') continue;
      const [here, there] = [saidBy(value as Say), saidBy(other as Say)];
      if ([...here].sort().join() !== [...there].sort().join()) wrong.push(`${path}: ${[...here]} | ${[...there]}`);
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual(
      [...translated.keys()].sort(),
      [...leavesOf(en)].map(([path]) => path).sort(),
      'no text of its own',
    );
  });

  test(`${language}: no text was left empty, nor in the quotes of English`, () => {
    for (const [path, value] of leavesOf(texts)) {
      if (typeof value !== 'string') continue;
      assert.ok(value !== '' || new Map(leavesOf(en)).get(path) === '', path);
      assert.doesNotMatch(value, language === 'de' ? /”/ : /[“”]/, path);
    }
  });
}

/** Their keys are names of the contract, for each of which there must be a text. */
const BY_CONTRACT = ['alarms', 'auditActions', 'channels', 'reportWords', 'wording'];

test('every text is used', () => {
  const folder = join(import.meta.dirname, '..');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('texts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'));
  const unused = Object.entries(en).flatMap(([area, words]) => {
    if (BY_CONTRACT.includes(area)) return [];
    const speaking = sources
      .filter((source) => new RegExp(`\\bt\\.${area}\\b|ui/words|\\./words\\.ts`).test(source))
      .join('\n');
    return Object.keys(words)
      .filter((key) => !new RegExp(`\\b${key}\\b`).test(speaking))
      .map((key) => `${area}.${key}`);
  });
  assert.deepEqual(unused, []);
});
