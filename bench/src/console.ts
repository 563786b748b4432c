import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { type PageFigures, timeToInteractive, watchFrames } from './console-page.ts';
import { Course } from './fleet/course.ts';
import { startFleet } from './fleet/tracked-fleet.ts';
import { loadAverage } from './print/machine.ts';
import { type Cells, number, printTable, verdict } from './print/table.ts';
import { Api } from './trackway.ts';

/**
 * The cost of a large live fleet on the map of the console: the frame rate with all devices against the same page of a
 * user without devices, in turns, while the same server receives the same positions.
 */

const DEVICES = 10_000;
const UPDATES_PER_SECOND = 1000;
const CONNECTIONS = 50;
const ROUNDS = 3;
/** Seconds per measurement: loading and measuring with a margin, so that positions never end before the measurement. */
const LOOK_S = 22;
const BARS = { ratio: 0.6, longestMs: 200, interactiveMs: 2000 };
const STRANGER = { email: 'nobody@example.com', password: 'walk the dog at noon' };

export async function benchConsole(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trackway-bench-'));
  let browser: Browser | undefined;
  const fleet = await startFleet(folder, { devices: DEVICES, fences: [], triggers: [] });
  try {
    const course = Course.of(fleet, CONNECTIONS);
    await course.send(DEVICES);
    const { address } = fleet.server;
    const owner = await Api.signIn(address);
    await owner.post('/users', STRANGER);
    const stranger = await Api.signIn(address, STRANGER);
    browser = await launch();
    // The time to interactive is measured on a server without other load.
    const opened: number[] = [];
    for (let round = 0; round < ROUNDS; round++) opened.push(await timeToInteractive(browser, owner));
    const positions = UPDATES_PER_SECOND * LOOK_S * ROUNDS * 2;
    const sending = course.send(positions, (CONNECTIONS * 1000) / UPDATES_PER_SECOND);
    const without: PageFigures[] = [];
    const withAll: PageFigures[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      without.push(await watchFrames(browser, stranger));
      withAll.push(await watchFrames(browser, owner));
    }
    printFigures(opened, without, withAll);
    const { perSecond } = await sending;
    console.log(`\n${number(perSecond)} positions per second came in meanwhile. ${loadAverage()}`);
  } finally {
    await browser?.close();
    await fleet.server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function launch(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({
    executablePath: process.env.TRACKWAY_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', ...(isRoot ? ['--no-sandbox'] : [])],
  });
}

function printFigures(
  opened: readonly number[],
  without: readonly PageFigures[],
  withAll: readonly PageFigures[],
): void {
  const row = (name: string, figures: PageFigures): Cells => [
    name,
    number(figures.framesPerSecond, 1),
    number(figures.longestTaskMs),
    number(figures.interactiveMs),
  ];
  const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
  const rate = (looks: readonly PageFigures[]) => median(looks.map((one) => one.framesPerSecond));
  printTable(
    `The map at 1280 × 800, ${number(DEVICES)} live devices with ${number(UPDATES_PER_SECOND)} updates a second`,
    ['page', 'frames/s', 'longest task, ms', 'interactive, ms'],
    [
      ...without.map((figures, round) => row(`without devices, ${round + 1}`, figures)),
      ...withAll.map((figures, round) => row(`with all, ${round + 1}`, figures)),
    ],
  );
  const ratio = rate(withAll) / rate(without);
  const longest = median(withAll.map((one) => one.longestTaskMs));
  const interactive = median(opened);
  printTable(
    'Medians against the bars',
    ['what', 'measured', 'bar', ''],
    [
      ['frame rate with ÷ without', number(ratio, 2), `≥ ${BARS.ratio}`, verdict(ratio >= BARS.ratio)],
      ['longest task, ms', number(longest), `≤ ${BARS.longestMs}`, verdict(longest <= BARS.longestMs)],
      [
        'interactive with all devices, nothing coming in, ms',
        number(interactive),
        `< ${BARS.interactiveMs}`,
        verdict(interactive < BARS.interactiveMs),
      ],
    ],
  );
}
