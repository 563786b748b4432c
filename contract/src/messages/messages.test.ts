import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LANGUAGES } from '../wording/languages.ts';
import { compile } from './compile.ts';
import { writerOf } from './format.ts';
import { argumentsOf, argumentTypes, catalogsOf, textsIn } from './generate.ts';
import { CATALOGS } from './generated/catalogs.ts';
import { messagesIn } from './messages.ts';

/** The compiler finds a key that is missing. What it cannot see is looked at here. */

const english = new Map(textsIn(CATALOGS.en));
const argumentNames = (text: string) => [...argumentsOf(compile(text)).keys()].sort();

test('the generated types are up to date: otherwise run `npm run messages`', () => {
  const generated = (name: string) => readFileSync(join(import.meta.dirname, 'generated', name), 'utf8');
  assert.equal(generated('arguments.ts'), argumentTypes(CATALOGS.en));
  assert.equal(generated('catalogs.ts'), catalogsOf(LANGUAGES));
});

for (const language of LANGUAGES.filter((one) => one !== 'en')) {
  test(`${language}: the keys are the English ones, and each message has the same arguments`, () => {
    const texts = new Map(textsIn(CATALOGS[language]));
    assert.deepEqual([...texts.keys()].sort(), [...english.keys()].sort());
    const wrong = [...texts].filter(
      ([key, text]) => `${argumentNames(text)}` !== `${argumentNames(english.get(key)!)}`,
    );
    assert.deepEqual(wrong, []);
  });

  test(`${language}: no text is empty, nor in the quotes of English`, () => {
    for (const [key, text] of textsIn(CATALOGS[language])) {
      assert.ok(text !== '' || english.get(key) === '', key);
      assert.doesNotMatch(text, language === 'de' ? /”/ : /[“”]/, key);
    }
  });
}

test('numbers select plural forms and are written as in the locale', () => {
  const { count } = messagesIn('en').groups;
  assert.deepEqual(
    [0, 1, 2, 1234].map((number) => count({ count: number })),
    ['No devices', '1 device', '2 devices', '1,234 devices'],
  );
  assert.equal(messagesIn('fr').devices.count({ all: 0 }), '0 appareil');
  assert.equal(messagesIn('de').devices.count({ all: 12_345 }), '12.345 Geräte');
});

test('an absent argument selects `none`, a value of that name does not', () => {
  const message = compile('{name, select, none {nobody} admin {the admin} other {{name}}}');
  assert.notEqual(typeof message, 'string');
  const write = writerOf('en', 'en-GB')(message as Exclude<typeof message, string>);
  const values = [undefined, null, '', 'none', 'admin', 'other', 'constructor', '{name}'];
  assert.deepEqual(
    values.map((name) => write({ name })),
    ['nobody', 'nobody', 'nobody', 'none', 'the admin', 'other', 'constructor', '{name}'],
  );
});

test('a message that is not valid does not compile', () => {
  assert.throws(() => compile('{count, plural, one {# device}}'));
  assert.throws(() => compile('{at, date}'), /Only plain arguments/);
});
