import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { ALLOWS_LOCAL, type Furnished, furnish } from './furnish.ts';
import { inBrowser } from './harness.ts';
import { walk } from './walk.ts';

/** Each would run in a page that takes a name for HTML, in one place or another; a dialog gives it away. */
const PAYLOADS = [
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(2)>',
  "'-alert(3)-'",
  '</script><script>alert(4)</script>',
  '<iframe srcdoc="<script>parent.alert(5)</script>">',
  '{{constructor.constructor("alert(6)")()}}',
  'javascript:alert(7)',
];

inBrowser(
  'Names that are scripts',
  (bed) => {
    let furnished: Furnished;
    before(async () => {
      let used = 0;
      furnished = await furnish(bed, (name) => `${PAYLOADS[used++ % PAYLOADS.length]} ${name}`);
    });
    after(() => furnished?.end());

    test('are shown as they are and run on no page', async () => {
      // The harness fails where a dialog opens, a resource is asked for elsewhere, or the policy had to step in.
      await walk(bed, {}, furnished.pages, async (page, name) => {
        const made = await page.locator('img[src="x"], iframe, svg[onload], [onerror], a[href^="javascript:"]').count();
        assert.equal(made, 0, `a name became markup on ${name}`);
      });
    });

    test('are read as text', async () => {
      await bed.visit('/devices', { as: bed.admin }, async (page) => {
        await page.getByText(`${PAYLOADS[0]} Van 3`).first().waitFor();
      });
      await bed.visit('/users', { as: bed.admin }, async (page) => {
        await page
          .getByText(/ Anna Lindqvist/)
          .first()
          .waitFor();
      });
    });
  },
  ALLOWS_LOCAL,
);
