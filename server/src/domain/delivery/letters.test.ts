import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailOf, mailOfMany, type News, pushOf, pushOfMany } from './letters.ts';

const AT = Date.parse('2026-06-01T12:05:00Z');
const reader = { timeZone: 'Europe/Berlin', language: 'en' as const, publicUrl: 'https://track.example.com/' };
const news: News = { sentence: 'Van 3 entered Depot', deviceId: 7, deviceName: 'Van 3', at: AT, isLate: false };
const LINK = 'https://track.example.com/map?device=7&at=2026-06-01T12:05:00.000Z';

test('a mail says what happened, to what, when by the clock of its reader, and links to the place', () => {
  const { subject, text, html } = mailOf(news, reader);
  assert.equal(subject, '“Van 3” entered Depot');
  assert.equal(mailOf({ ...news, names: ['Depot'] }, reader).subject, '“Van 3” entered “Depot”');
  assert.equal(
    text,
    `Van 3 entered Depot.\n\nDevice: Van 3\nWhen: 1 Jun 2026, 14:05 (Europe/Berlin)\n\nOn the map: ${LINK}\n`,
  );
  assert.ok(html!.includes(`<a href="${LINK.replace('&', '&amp;')}">`));
  assert.match(mailOf({ ...news, isLate: true }, reader).text, /14:05 \(Europe\/Berlin\), reported late/);
  assert.ok(!mailOf(news, { ...reader, publicUrl: '' }).text.includes('map'), 'no link that leads nowhere');
});

test('names can neither become markup nor headers', () => {
  const evil = '<script>alert("1")</script>\r\nBcc: everyone@example.com';
  const { subject, html } = mailOf({ ...news, deviceName: evil, sentence: `${evil} moved` }, reader);
  assert.ok(!/[\r\n]/.test(subject!));
  assert.ok(!html!.includes('<script') && html!.includes('&lt;script&gt;alert(&quot;1&quot;)'));
  const many = mailOfMany([{ ...news, sentence: evil }, news], reader);
  assert.ok(!many.html!.includes('<script'));
});

test('a name cannot pass for our own words, nor lead anywhere', () => {
  const evil =
    'Your account is locked. Sign in at https://evil.example/login or www.evil.example within the hour or lose it';
  const reported = { ...news, deviceName: evil, sentence: `${evil} moved` };
  const one = mailOf(reported, reader);
  assert.match(one.subject!, /^“Your account is locked[^”]{1,60}…” moved$/);
  for (const text of [one.subject!, one.text, one.html!, mailOfMany([reported, news], reader).text])
    assert.doesNotMatch(text, /evil\.example|:\/\/evil/);
});

test('many notifications are in one letter, up to a limit', () => {
  const all = Array.from({ length: 250 }, (_, n) => ({ ...news, sentence: `News ${n}` }));
  const { subject, text } = mailOfMany(all, reader);
  assert.equal(subject, '250 notifications');
  assert.ok(text.includes('News 99') && !text.includes('News 100') && text.includes('and 150 more'));
  const shown = JSON.parse(pushOfMany(all, reader).text);
  assert.equal(shown.title, '250 notifications');
  assert.equal(shown.body.split('\n').at(-1), '… and 245 more');
});

test('what a browser shows fits into what push services take', () => {
  const long = 'ä'.repeat(5000);
  const content = pushOf({ ...news, sentence: long, deviceName: long, notificationId: 5 }, reader);
  assert.ok(Buffer.byteLength(content.text) < 3000);
  const { title, body, url, tag } = JSON.parse(pushOf({ ...news, notificationId: 5 }, reader).text);
  assert.deepEqual(
    [title, body, url, tag],
    ['Van 3', 'Van 3 entered Depot', '/map?device=7&at=2026-06-01T12:05:00.000Z', 'notification-5'],
  );
});
