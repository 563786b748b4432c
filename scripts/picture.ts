import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { launchChromium } from '../e2e/src/console/chromium.ts';
import { main, ROOT } from './step.ts';

/** Takes the screenshot of the README from the demonstration, as a user sees it after starting it. */

const PICTURE = join(ROOT, 'docs/picture.png');
const MOST_BYTES = 450_000;
/** Time until the history has been sent and vehicles are moving. */
const HISTORY_MS = 55_000;

await main(async () => {
  const demo = spawn(process.execPath, ['cli/src/main.ts', 'demo'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const output = await greeting(demo.stdout);
    const word = (name: string) => new RegExp(`${name}\\s+(.+)`).exec(output)![1]!;
    const address = /http:\S+/.exec(output)![0];
    await pause(HISTORY_MS);
    await takePicture(address, word('E-mail'), word('Password'));
  } finally {
    const ended = once(demo, 'exit');
    demo.kill('SIGINT');
    await ended;
  }
  const { size } = statSync(PICTURE);
  if (size > MOST_BYTES) throw new Error(`The picture has ${size} bytes, more than ${MOST_BYTES}`);
  console.log(`${PICTURE}: ${size} bytes`);
});

/** Reads the output up to the hint how to stop the demonstration. The rest is read and discarded. */
function greeting(output: Readable): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    output.on('end', () => reject(new Error(`The demonstration ended: ${text}`)));
    output.on('data', (chunk) => {
      text += chunk;
      if (/Stop /.test(text)) resolve(text);
    });
  });
}

async function takePicture(address: string, email: string, password: string): Promise<void> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-IE' });
    page.setDefaultTimeout(60_000);
    await page.goto(address);
    await page.getByLabel(/e-mail/i).fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('canvas').first().waitFor();
    await page.waitForTimeout(12_000);
    await page.screenshot({ path: PICTURE });
  } finally {
    await browser.close();
  }
}
