import { test } from 'node:test';
import { chromiumPlace, launchChromium } from '../../e2e/src/console/chromium.ts';
import { startServer } from '../../e2e/src/harness/server-process.ts';
import { onBothEngines } from '../../server/src/testing/databases.ts';

/** A test run that starts every kind of process that tests start, and never ends by itself. See ../stop.slow.test.ts. */
onBothEngines('an endless run', { migrations: [] }, (open) => {
  test('starts a server and a browser and waits', async () => {
    if (open.storeKind === 'sqlite') return;
    await startServer(open.storeKind, await open.emptyPlace());
    if (chromiumPlace() !== undefined) await launchChromium();
    console.log('Everything is under way.');
    await new Promise(() => setInterval(() => {}, 1000));
  });
});
