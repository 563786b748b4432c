import { chromiumPlace, hasShell } from '../e2e/src/console/chromium.ts';
import { havePackage } from './debian-package.ts';

/**
 * Installs the browser that the tests of the console need, if possible; otherwise those tests are skipped. Most tests use
 * the headless shell, which is faster.
 */
export const haveChromium = (): Promise<void> =>
  havePackage(
    'chromium chromium-headless-shell',
    () => chromiumPlace() !== undefined && hasShell(),
    'THE CONSOLE IS TESTED SLOWLY, OR NOT AT ALL: Chromium is missing. Install the packages `chromium` and ' +
      '`chromium-headless-shell`, or name another browser with TRACKWAY_CHROMIUM.',
  );
