import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkHeader } from './list-links.ts';

test('a header has the links that it has room for', () => {
  assert.equal(linkHeader({}), undefined);
  assert.equal(
    linkHeader({ next: '/a?_page=2', last: '/a?_page=9' }),
    '</a?_page=2>; rel="next", </a?_page=9>; rel="last"',
  );
  const long = `/a?name=${'x'.repeat(5000)}`;
  assert.equal(linkHeader({ next: long, prev: long }), `<${long}>; rel="next"`);
  assert.equal(linkHeader({ next: `${long}${long}` }), undefined);
});
