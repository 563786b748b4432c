import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { type PageFigures, timeToInteractive, watchFrames } from './console-page.ts';
import { gzippedSize, showStreets, transferredBytes, type Weight, weighFirstLoad } from './console-weight.ts';
import { Course } from './fleet/course.ts';
import { startFleet } from './fleet/tracked-fleet.ts';
import { loadAverage } from './print/machine.ts';
import { median } from './print/statistics.ts';
import { type Cells, number, printTable, verdict } from './print/table.ts';
import { Api, type Thing } from './trackway.ts';

/**
 * The cost of a large live fleet on the map of the console: the frame rate with all devices against the same page of a
 * user without devices, in turns, while the same server receives the same positions; how much the main thread works; and
 * what a browser loads.
 */

const UPDATES_PER_SECOND = 1000;
const CONNECTIONS = 50;
const ROUNDS = 3;
/** Seconds per measurement: loading and measuring with a margin, so that positions never end before the measurement. */
const LOOK_S = 22;
const SETTLE_MS = 6000;
const BARS = { ratio: 0.6, longestMs: 100, interactiveMs: 2000, pageBytes: 200_000, whereaboutsBytes: 3_000_000 };
const TRANSFERRED_BARS = { signIn: 130_000, link: 350_000 };
/** How much of its time the main thread may work, by the size of the fleet. */
const FLEETS = [
  { devices: 10_000, busy: 0.3 },
  { devices: 50_000, busy: 0.6 },
] as const;
const STRANGER = { email: 'nobody@example.com', password: 'walk the dog at noon' };

interface Measured {
  readonly devices: number;
  readonly busyBar: number;
  readonly opened: readonly number[];
  readonly without: readonly PageFigures[];
  readonly withAll: readonly PageFigures[];
  readonly weight: Weight;
  readonly whereaboutsBytes: number;
  readonly transferred: { readonly signIn: number; readonly link: number; readonly linkOfWorld: number };
  readonly perSecond: number;
}

/** `--brief` leaves the larger fleet out, `--large` the smaller. */
export async function benchConsole(flags: ReadonlySet<string>): Promise<void> {
  const fleets = FLEETS.slice(flags.has('--large') ? 1 : 0, flags.has('--brief') ? 1 : undefined);
  const browser = await launch();
  try {
    for (const { devices, busy } of fleets) printFigures(await measured(browser, devices, busy));
  } finally {
    await browser.close();
  }
}

async function measured(browser: Browser, devices: number, busyBar: number): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'trackway-bench-'));
  const fleet = await startFleet(folder, { devices, fences: [], triggers: [] });
  try {
    const course = Course.of(fleet, CONNECTIONS);
    await course.send(devices);
    const { address } = fleet.server;
    const owner = await Api.signIn(address);
    await owner.post('/users', STRANGER);
    const stranger = await Api.signIn(address, STRANGER);
    // What is loaded, and the time to interactive, are measured on a server without other load.
    const weight = await weighFirstLoad(browser, owner, SETTLE_MS);
    const whereaboutsBytes = await gzippedSize(`${address}/api/users/me/whereabouts`, owner.headers);
    const [device] = (await owner.get('/devices?filter={"limit":1}')) as unknown as Thing[];
    const { url } = await owner.post(`/devices/${device!.id}/links`, {});
    const link = new URL(String(url), address).href;
    const signIn = await transferredBytes(browser, `${address}/sign-in`, SETTLE_MS);
    const linkOfWorld = await transferredBytes(browser, link, SETTLE_MS);
    const streets = await showStreets(owner);
    const transferred = { signIn, linkOfWorld, link: await transferredBytes(browser, link, SETTLE_MS) };
    await streets.end();
    const opened: number[] = [];
    for (let round = 0; round < ROUNDS; round++) opened.push(await timeToInteractive(browser, owner));
    const positions = UPDATES_PER_SECOND * LOOK_S * ROUNDS * 2;
    const sending = course.send(positions, (CONNECTIONS * 1000) / UPDATES_PER_SECOND);
    // An error in the browser is reported, not the end of the server that follows it.
    sending.catch(() => undefined);
    const without: PageFigures[] = [];
    const withAll: PageFigures[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      without.push(await watchFrames(browser, stranger));
      withAll.push(await watchFrames(browser, owner));
    }
    const { perSecond } = await sending;
    return { devices, busyBar, opened, without, withAll, weight, whereaboutsBytes, transferred, perSecond };
  } finally {
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

const kB = (bytes: number) => `${number(bytes / 1000)} kB`;
const percent = (share: number) => `${number(share * 100)} %`;

function printFigures(all: Measured) {
  const { devices, busyBar, opened, without, withAll, weight, whereaboutsBytes, transferred, perSecond } = all;
  const row = (name: string, figures: PageFigures): Cells => [
    name,
    number(figures.framesPerSecond, 1),
    percent(figures.busyShare),
    number(figures.longestTaskMs),
    number(figures.longestLoadingMs),
    number(figures.interactiveMs),
  ];
  printTable(
    `The map at 1280 × 800, ${number(devices)} live devices with ${number(UPDATES_PER_SECOND)} updates a second`,
    ['page', 'frames/s', 'main thread busy', 'longest task, ms', 'longest while loading, ms', 'interactive, ms'],
    [
      ...without.map((figures, round) => row(`without devices, ${round + 1}`, figures)),
      ...withAll.map((figures, round) => row(`with all, ${round + 1}`, figures)),
    ],
  );
  const middle = (looks: readonly PageFigures[], of: keyof PageFigures) => median(looks.map((one) => one[of]));
  const ratio = middle(withAll, 'framesPerSecond') / middle(without, 'framesPerSecond');
  const busy = middle(withAll, 'busyShare');
  const longest = middle(withAll, 'longestTaskMs');
  const loading = middle(withAll, 'longestLoadingMs');
  const interactive = median(opened);
  const most = (what: string, value: number, bar: number, shown: (value: number) => string): Cells => [
    what,
    shown(value),
    `≤ ${shown(bar)}`,
    verdict(value <= bar),
  ];
  printTable(
    `Medians against the bars, ${number(devices)} devices`,
    ['what', 'measured', 'bar', ''],
    [
      // On a machine that is too busy to take them in, the page has less to do, and the other figures say little.
      [
        'updates a second that came in',
        number(perSecond),
        `≥ ${number(0.9 * UPDATES_PER_SECOND)}`,
        verdict(perSecond >= 0.9 * UPDATES_PER_SECOND),
      ],
      ['frame rate with ÷ without', number(ratio, 2), `≥ ${BARS.ratio}`, verdict(ratio >= BARS.ratio)],
      most('main thread busy, by processor time', busy, busyBar, percent),
      most('longest task, ms', longest, BARS.longestMs, number),
      most('longest task while loading, ms', loading, BARS.longestMs, number),
      most('interactive with all devices, nothing coming in, ms', interactive, BARS.interactiveMs, number),
      most('first load besides map and basemap, gzip', weight.page, BARS.pageBytes, kB),
      ['map and basemap, gzip', kB(weight.map), '', `${weight.files} files in all`],
      most('sign-in page, transferred', transferred.signIn, TRANSFERRED_BARS.signIn, kB),
      most('public link page with streets, transferred, without tiles', transferred.link, TRANSFERRED_BARS.link, kB),
      ['public link page without streets, transferred', kB(transferred.linkOfWorld), '', 'with the bundled map'],
      most('whereabouts of all devices, gzip', whereaboutsBytes, BARS.whereaboutsBytes, kB),
    ],
  );
  console.log(`\nLoad average ${loadAverage()}`);
}
