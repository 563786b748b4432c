import { createClient } from '@trackway/client/client.ts';
import { createFleet, transmissions } from '@trackway/simulator/fleet.ts';
import { identityOf, VOICES } from '@trackway/simulator/trackers/voices.ts';
import type { Command } from '../command.ts';
import { simulatedDevices } from './devices.ts';
import { httpRoad } from './http-road.ts';
import { readOptions, type SimulateOptions, simulateFlags } from './options.ts';
import { paced } from './pace.ts';
import { showProgress, summary } from './progress.ts';
import { ReportSender, type Road } from './send.ts';
import { trackerRoad } from './tracker-road.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Send the reports of a simulated fleet to a server until it is stopped. Each device reports with its own key.',
    flags: simulateFlags,
    more: `The devices ("Sim 001", …) are created at the first run and used again later. Their keys are saved
in .trackway-simulate.json in the working directory. The same seed and start time give the same
fleet and the same reports.

Examples:
  trackway simulate --devices 50
  trackway simulate --devices 1000 --rate 500 --duration 10m --profile nasty
  trackway simulate --devices 20 --duration 5m --speed-up 60
  trackway simulate --devices 50 --protocol gt06`,
  }),

  async run(given) {
    const options = readOptions(given, Date.now());
    const client = createClient({ url: options.url, token: options.token });
    const fleet = createFleet({ devices: options.devices, seed: options.seed, profile: options.profile });
    const stopping = stopSignal();
    try {
      const spoken = fleet.devices.map((device, index) => ({ ...device, ...speakerOf(options, index) }));
      const devices = await simulatedDevices(client, options.url, spoken, stopping.signal);
      const road = options.protocols.length > 0 ? trackersOn(options, spoken) : httpRoad({ url: options.url, devices });
      const sender = new ReportSender({ ...options, road, signal: stopping.signal });
      const progress = showProgress(sender.tally);
      try {
        await sender.sendAll(paced(transmissions(fleet, options.startAt), options));
      } finally {
        progress.stop();
        road.close?.();
      }
      console.log(summary(sender.tally));
      return sender.tally.refused > 0 ? 1 : 0;
    } finally {
      stopping.forget();
    }
  },
};

/** The protocol and identity of a device; nothing for HTTP. */
function speakerOf({ protocols }: SimulateOptions, index: number) {
  const protocol = protocols[index % protocols.length];
  return protocol === undefined ? {} : { voice: VOICES[protocol], identity: identityOf(protocol, index) };
}

function trackersOn({ url, trackersPort }: SimulateOptions, devices: readonly ReturnType<typeof speakerOf>[]): Road {
  const speakers = devices.map(({ voice, identity }) => ({
    voice: voice!,
    identity: (identity!.imei ?? identity!.serial)!,
  }));
  return trackerRoad({ host: new URL(url).hostname, port: trackersPort, devices: speakers });
}

/** Under npm, one Ctrl+C arrives twice, from the terminal and from npm. A second key press takes longer than this. */
const SAME_KEY_MS = 500;

function stopSignal(): { signal: AbortSignal; forget(): void } {
  const stopping = new AbortController();
  let signalledAt: number | undefined;
  const onSignal = () => {
    if (signalledAt !== undefined && performance.now() - signalledAt > SAME_KEY_MS) process.exit(130);
    signalledAt ??= performance.now();
    stopping.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  const forget = () => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
  return { signal: stopping.signal, forget };
}
