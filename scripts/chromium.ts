import { existsSync } from 'node:fs';
import { chromiumPlace } from '../e2e/src/console/chromium.ts';
import { step } from './step.ts';

const INSTALL = 'apt-get update && apt-get install -y --no-install-recommends chromium';

/** Installs the browser that the tests of the console need, if possible; otherwise those tests are skipped. */
export async function haveChromium(): Promise<void> {
  if (chromiumPlace() !== undefined) return;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    try {
      await step('Install Chromium', 'sh', ['-c', INSTALL], { DEBIAN_FRONTEND: 'noninteractive' });
      return;
    } catch (error) {
      console.error(`\n*** Chromium could not be installed: ${error instanceof Error ? error.message : error} ***`);
    }
  }
  console.error(
    '\n*** THE CONSOLE IS NOT TESTED IN A BROWSER: Chromium is missing. Install the package `chromium` ' +
      '(apt-get install chromium), or name another with TRACKWAY_CHROMIUM. ***\n',
  );
}
