import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Client } from '@trackway/client/client.ts';
import { HISTORY_FORMATS, type HistoryFormat } from '@trackway/client/history/formats.ts';
import { importHistory } from '@trackway/client/history/import-history.ts';
import { textOf } from '@trackway/client/history/lines.ts';
import { HistoryProblem } from '@trackway/client/history/position.ts';
import { type Command, Failure, type Given, UsageError } from '../command.ts';
import { ask, connectionFlags } from '../connection.ts';

/** A call with a temporary failure is repeated for about a minute. */
const RETRIES = 10;

export const command: Command = {
  describe: () => ({
    about: 'Import a file of positions into a device. Trips and stops are computed; no notifications are sent.',
    args: ['file'],
    flags: {
      device: { about: 'Id of the device.', takes: 'ID' },
      format: { about: `One of ${HISTORY_FORMATS.join(', ')}. Detected if not given.`, takes: 'FORMAT' },
      only: { about: 'In a CSV file of several devices: the id of the device to import.', takes: 'ID' },
      resume: { about: 'Id of an interrupted import: continues after the positions that were received.', takes: 'ID' },
      ...connectionFlags,
    },
    more: `google reads Records.json of Takeout and the timeline that phones export; owntracks reads .rec files; csv
reads tables with columns for time, latitude and longitude, such as the positions of another server.

Examples:
  trackway import rides.gpx --device 7
  trackway import Timeline.json --device 7
  trackway import positions.csv --device 7 --only 3`,
  }),

  async run(given) {
    const [file] = given.args;
    const { only, format } = given.flags;
    if (file === undefined) throw new UsageError('Specify a file.');
    const deviceId = idIn(given, 'device');
    if (deviceId === undefined) throw new UsageError('Specify a device with --device.');
    if (format !== undefined && !(HISTORY_FORMATS as readonly string[]).includes(format))
      throw new UsageError(`--format must be one of ${HISTORY_FORMATS.join(', ')}.`);
    await requireFile(file);
    const resume = idIn(given, 'resume');
    const options = { name: basename(file), format: format as HistoryFormat | undefined, only, resume };
    return ask(given, (client) => send(client, deviceId, file, options), { retries: RETRIES });
  },
};

async function send(
  client: Client,
  deviceId: number,
  file: string,
  options: { name: string; format?: HistoryFormat; only?: string; resume?: number },
): Promise<number> {
  let begun: number | undefined;
  let shownAt = 0;
  try {
    const done = await importHistory(client, deviceId, textOf(createReadStream(file, { highWaterMark: 1 << 20 })), {
      ...options,
      onProgress({ id, received }) {
        begun = id;
        if (!process.stderr.isTTY || performance.now() - shownAt < 200) return;
        shownAt = performance.now();
        process.stderr.write(`\r${received} positions sent`);
      },
    });
    if (process.stderr.isTTY) process.stderr.write('\r');
    const { received, stored, duplicates, refused } = done;
    console.log(`${received} positions read: ${stored} stored, ${duplicates} already known, ${refused} rejected.`);
    return 0;
  } catch (error) {
    if (begun !== undefined)
      console.error(`The import is incomplete. To continue, repeat the command with --resume ${begun}.`);
    if (error instanceof HistoryProblem) throw new Failure(`${file}: ${error.message}`, { cause: error });
    throw error;
  }
}

function idIn({ flags }: Given, name: string): number | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new UsageError(`--${name} must be an id, not ${JSON.stringify(text)}.`);
  return Number(text);
}

async function requireFile(file: string): Promise<void> {
  const found = await stat(file).catch((error: Error) => {
    throw new Failure(`Cannot read the file ${file}: ${error.message}.`, { cause: error });
  });
  if (!found.isFile()) throw new Failure(`${file} is not a file.`);
}
