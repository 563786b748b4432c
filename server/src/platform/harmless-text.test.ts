import assert from 'node:assert/strict';
import { test } from 'node:test';
import { harmless, quotedName, quoteNames } from './harmless-text.ts';

test('a text of a user becomes one line without anything to click', () => {
  assert.equal(harmless('Van\r\nBcc: you\u202e\u200b 3'), 'Van Bcc: you 3');
  for (const evil of [
    'https://evil.example/pay',
    'http : //evil.example',
    'www.evil.example',
    'evil.example/x',
    'a@evil.example',
  ])
    assert.doesNotMatch(harmless(evil), /:\/\/|www\.|\w\.\p{L}|@/u, evil);
  assert.equal(harmless('Van 3.5 t, No. 4'), 'Van 3.5 t, No. 4', 'ordinary names stay');
});

test('a name is quoted, short, and cannot end its quotes', () => {
  assert.equal(quotedName('Van 3'), '“Van 3”');
  assert.equal(quotedName('x” was stolen, call “y'), "“x' was stolen, call 'y”");
  assert.equal([...quotedName('ä'.repeat(500))].length, 62);
});

test('the names in a sentence are quoted, whatever they hold', () => {
  assert.equal(quoteNames('Van 3 entered Depot', ['Van 3', 'Depot']), '“Van 3” entered “Depot”');
  assert.equal(quoteNames('a.*b left (x', ['a.*b', '(x']), '“a.*b” left “(x”');
  assert.equal(quoteNames('Van is faster', ['', ' ']), 'Van is faster');
  const evil = 'Your account is locked: https://evil.example/login';
  const reported = quoteNames(`${evil} moved`, [evil]);
  assert.match(reported, /^“Your account is locked.*…?” moved$/);
  assert.doesNotMatch(reported, /:\/\/|\w\.\p{L}/u);
});
