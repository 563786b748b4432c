import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** It has no user interface of its own, which takes a third of the time, and no push messages. */
const SHELL = '/usr/bin/chromium-headless-shell';
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The whole browser of this machine; undefined where there is none. */
export const chromiumPlace = (): string | undefined =>
  process.env.TRACKWAY_CHROMIUM ?? PLACES.find((place) => existsSync(place));

/** Whether most tests have the faster browser, or use the one that is named. */
export const hasShell = () => process.env.TRACKWAY_CHROMIUM !== undefined || existsSync(SHELL);

const shellPlace = (): string | undefined =>
  process.env.TRACKWAY_CHROMIUM ?? (existsSync(SHELL) ? SHELL : chromiumPlace());

const FLAGS = [
  // Maps need WebGL, which machines without a graphics card have in software. All else is drawn faster without it.
  '--disable-gpu',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-background-networking',
  // Pages live for seconds: optimized code takes longer to make than it saves, and so does a process for each page.
  '--js-flags=--no-turbofan',
  '--process-per-site',
  // No page of a test reaches any other machine.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** @param isWhole for service workers and push messages, which the browser for most tests lacks */
export function launchChromium(isWhole = false): Promise<Browser> {
  const executablePath = isWhole ? chromiumPlace() : shellPlace();
  if (executablePath === undefined) throw new Error('Chromium is missing: apt-get install chromium');
  // Chromium refuses to sandbox itself for root.
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({ executablePath, args: [...FLAGS, ...(isRoot ? ['--no-sandbox'] : [])] });
}
