import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownTracksLink, TEMPLATE_APPS, templateAddress } from './connect-texts.ts';

const settingsOf = (link: string) =>
  JSON.parse(Buffer.from(new URL(link).searchParams.get('inline')!, 'base64').toString('utf8'));

test('the OwnTracks link brings the address, and the secret only where there is one', () => {
  const plain = settingsOf(ownTracksLink('https://example.com', 'k3y', 12));
  assert.deepEqual([plain.mode, plain.url], [3, 'https://example.com/ingest/owntracks/k3y']);
  assert.equal('encryptionKey' in plain, false);
  const secret = settingsOf(ownTracksLink('https://example.com', 'k3y', 12, 'öffne +/= 🗝'));
  assert.equal(secret.encryptionKey, 'öffne +/= 🗝');
});

test('the address of each app names the unit of its speed', () => {
  for (const app of TEMPLATE_APPS)
    assert.match(
      templateAddress(app, 'https://example.com', 'k3y'),
      /^https:\/\/example.com\/ingest\/osmand\/k3y\?speedUnit=ms&lat=/,
    );
});
