import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LINK_TIMES, linkBodyOf, NEW_LINK, wrongIn } from './link-draft.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');

test('what is left empty is not sent', () => {
  assert.deepEqual(linkBodyOf(NEW_LINK, NOW), { expiresAt: '2026-06-02T12:00:00.000Z', trail: false });
});

test('everything that is filled in is sent, sites without their slash', () => {
  const draft = {
    ...NEW_LINK,
    name: ' Your order ',
    destination: '50.1, 8.6',
    destinationName: 'Home',
    origins: 'https://a.example/\nhttps://b.example:8443\n',
  };
  assert.deepEqual(wrongIn(draft), { origins: false });
  const { expiresAt, ...body } = linkBodyOf(draft, NOW);
  assert.deepEqual(body, {
    trail: false,
    name: 'Your order',
    destination: { lat: 50.1, lng: 8.6 },
    destinationName: 'Home',
    origins: ['https://a.example', 'https://b.example:8443'],
  });
  assert.equal(expiresAt, '2026-06-02T12:00:00.000Z');
});

test('an invalid place or site is reported', () => {
  assert.deepEqual(wrongIn({ ...NEW_LINK, origins: 'https://a.example/page' }), {
    origins: true,
  });
  assert.equal(wrongIn({ ...NEW_LINK, origins: '*' }).origins, true);
});

test('every time that can be chosen is one that the server takes', () => {
  for (const time of LINK_TIMES) {
    const days = (Date.parse(linkBodyOf({ ...NEW_LINK, time }, NOW).expiresAt) - NOW) / 86_400_000;
    assert.ok(days > 0 && days <= 90, time);
  }
});
