import { chromiumPlace } from '../e2e/src/console/chromium.ts';
import { havePackage } from './debian-package.ts';

/** Installs the browser that the tests of the console need, if possible; otherwise those tests are skipped. */
export const haveChromium = (): Promise<void> =>
  havePackage(
    'chromium',
    () => chromiumPlace() !== undefined,
    'THE CONSOLE IS NOT TESTED IN A BROWSER: Chromium is missing. Install the package `chromium` ' +
      '(apt-get install chromium), or name another with TRACKWAY_CHROMIUM.',
  );
