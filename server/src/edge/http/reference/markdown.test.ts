import assert from 'node:assert/strict';
import test from 'node:test';
import { inline, markdown } from './markdown.ts';

test('text, code and links stand in HTML, and nothing of a text becomes a tag', () => {
  assert.equal(inline('a < b & `c <d>`'), 'a &lt; b &amp; <code>c &lt;d&gt;</code>');
  assert.equal(inline('**all** of *it*, 3 * 4 * 5'), '<strong>all</strong> of <em>it</em>, 3 * 4 * 5');
  assert.equal(inline('[a `b`](c.md#d)'), '<a href="c.md#d">a <code>b</code></a>');
  assert.equal(inline('`[a](b)` and `x`'), '<code>[a](b)</code> and <code>x</code>');
  assert.equal(inline('see [the list](c.md#d).'), 'see <a href="c.md#d">the list</a>.');
  assert.equal(inline('[x](y"z)'), '<a href="y&quot;z">x</a>');
});

test('a link that leads nowhere is only its text', () => {
  assert.equal(inline('see [the code](../x.ts)', { link: () => undefined }), 'see the code');
});

test('headings have ids, made unique by numbers', () => {
  const { html, headings } = markdown('# The `POST` way\n\n## Errors\n\n## Errors', { deeper: 1 });
  assert.equal(
    html,
    '<h2 id="the-post-way">The <code>POST</code> way</h2>\n<h3 id="errors">Errors</h3>\n<h3 id="errors-1">Errors</h3>',
  );
  assert.deepEqual(headings[0], { level: 2, text: 'The POST way', id: 'the-post-way' });
});

test('paragraphs, lists and code', () => {
  const { html } = markdown('one\ntwo\n\n- a\n  more\n- b\n\n1. x\n\n   ```sh\n   ls <it>\n   ```\n2. y\n');
  assert.equal(
    html,
    '<p>one\ntwo</p>\n<ul><li>a\nmore</li><li>b</li></ul>\n' +
      '<ol><li><p>x</p>\n<pre tabindex="0"><code>ls &lt;it&gt;</code></pre></li><li>y</li></ol>',
  );
});

test('tables, with bars inside of code', () => {
  const { html } = markdown('| A | |\n|---|---|\n| `x|y` | z \\| w |\n| | 1 |');
  assert.match(html, /<th scope="col">A<\/th><td><\/td>/);
  assert.match(html, /<td><code>x\|y<\/code><\/td><td>z \| w<\/td>/);
  assert.match(html, /<tr><td><\/td><td>1<\/td><\/tr>/);
});
