import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser of this machine; undefined where there is none. */
export const chromiumPlace = (): string | undefined =>
  process.env.TRACKWAY_CHROMIUM ?? PLACES.find((place) => existsSync(place));

const FLAGS = [
  // Maps need WebGL, which machines without a graphics card have in software.
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-background-networking',
  // No page of a test reaches any other machine.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

export function launchChromium(): Promise<Browser> {
  const executablePath = chromiumPlace();
  if (executablePath === undefined) throw new Error('Chromium is missing: apt-get install chromium');
  // Chromium refuses to sandbox itself for root.
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({ executablePath, args: [...FLAGS, ...(isRoot ? ['--no-sandbox'] : [])] });
}
