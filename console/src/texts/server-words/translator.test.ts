import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ERRORS } from '@trackway/contract/errors.ts';
import { de } from './de.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { SENTENCES } from './sentences.ts';
import { translatorOf } from './translator.ts';

test('a sentence is said in another language, with its values, its full stop, and what stands inside it', () => {
  const said = translatorOf(de);
  assert.equal(said('The device was created.'), 'Das Gerät wurde angelegt.');
  assert.equal(said('Plan Basic started'), 'Tarif Basic begann');
  assert.equal(
    said('Coordinates are missing, not finite or out of range'),
    said('coordinates are missing, not finite or out of range'),
  );
  assert.equal(said('Connection refused. (it may have arrived)'), 'Verbindung abgelehnt. (sie kam vielleicht an)');
  assert.equal(
    said('E-mail is not configured: set TRACKWAY_SMTP_URL.'),
    'E-Mail ist nicht eingerichtet: TRACKWAY_SMTP_URL fehlt.',
  );
  assert.equal(said('Something that no table has: 5'), 'Something that no table has: 5');
  assert.equal(said(''), '');
});

test('a translation says every value of its sentence', () => {
  const placesOf = (text: string) => [...new Set(text.match(/\{\d\}/g) ?? [])].sort().join();
  for (const words of [de, fr, es])
    for (const [english, said] of Object.entries(words)) assert.equal(placesOf(said), placesOf(english), english);
});

test('every error of the contract is translated', () => {
  const said = translatorOf(de);
  for (const { message } of Object.values(ERRORS)) assert.notEqual(said(message), message, message);
});

/** What the server puts together from several texts. */
const COMPOSED: Readonly<Record<string, readonly string[]>> = {
  'Plan {0} started': ['`Plan ${', "'started'"],
  'Plan {0} renewed': ['`Plan ${', "'renewed'"],
  'Plan {0} was ended': ['`Plan ${', "'was ended'"],
  'Plan {0} expired': ['`Plan ${', "'expired'"],
  'Plan {0} started: raised {1}': ['`Plan ${', "'started'", ': raised ${'],
  'Plan {0} renewed: raised {1}': ['`Plan ${', "'renewed'", ': raised ${'],
  'The device was shared, to view it': ['The device was shared, to ${'],
  'The device was shared, to manage it': ['The device was shared, to ${'],
  'It could not be delivered within three days. Last attempt: {0}': ['within three days${', '. Last attempt: ${'],
  'The mail server did not answer in time': ['`The mail server ${', "'did not answer in time'"],
  'The mail server closed the connection': ['`The mail server ${', "'closed the connection'"],
  'No answer in time': ['`No ${', "'answer'", ' in time.`'],
  'No connection in time': ['`No ${', "'connection'", ' in time.`'],
};

test('the server still says each of them', () => {
  const root = join(import.meta.dirname, '../../../..');
  const sources = ['server/src', 'contract/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => readFileSync(join(root, folder, file), 'utf8')),
  );
  const all = sources.join('\n');
  const partsOf = (sentence: string) => COMPOSED[sentence] ?? sentence.split(/\{\d\}/).map((part) => part.trim());
  const gone = SENTENCES.filter((sentence) => !partsOf(sentence).every((part) => all.includes(part)));
  assert.deepEqual(gone, []);
});
