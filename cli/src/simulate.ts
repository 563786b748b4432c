import { createClient } from '@trackway/client/client.ts';
import { createFleet, transmissions } from '@trackway/simulator/fleet.ts';
import type { Command } from './command.ts';
import { simulatedDevices } from './simulate-devices.ts';
import { readOrder, simulateFlags } from './simulate-order.ts';
import { paced } from './simulate-pace.ts';
import { Deliveries } from './simulate-send.ts';
import { showProgress, summary } from './simulate-tell.ts';

export const command: Command = {
  describe: () => ({
    about: 'Sends what a simulated fleet reports to a server, each device with its own key, until it is stopped.',
    flags: simulateFlags,
    more: `The devices ("Sim 001", …) are made once and found again; their keys are kept in .trackway-simulate.json here.
The same seed and start give the same fleet and the same reports.

  trackway simulate --devices 50
  trackway simulate --devices 1000 --rate 500 --duration 10m --profile nasty
  trackway simulate --devices 20 --duration 5m --speed-up 60`,
  }),

  async run(given) {
    const order = readOrder(given, Date.now());
    const client = createClient({ url: order.url, token: order.token });
    const fleet = createFleet({ devices: order.devices, seed: order.seed, profile: order.profile });
    const stopping = stopSignal();
    try {
      const devices = await simulatedDevices(client, order.url, fleet.devices, stopping.signal);
      const deliveries = new Deliveries({ ...order, devices, signal: stopping.signal });
      const progress = showProgress(deliveries.tally);
      try {
        await deliveries.sendAll(paced(transmissions(fleet, order.startAt), order));
      } finally {
        progress.stop();
      }
      console.log(summary(deliveries.tally));
      return deliveries.tally.refused > 0 ? 1 : 0;
    } finally {
      stopping.forget();
    }
  },
};

/** A Ctrl+C under npm comes twice, from the terminal and from npm; people take longer for their second. */
const SAME_KEY_MS = 500;

function stopSignal(): { signal: AbortSignal; forget(): void } {
  const stopping = new AbortController();
  let toldAt: number | undefined;
  const told = () => {
    if (toldAt !== undefined && performance.now() - toldAt > SAME_KEY_MS) process.exit(130);
    toldAt ??= performance.now();
    stopping.abort();
  };
  process.on('SIGINT', told);
  process.on('SIGTERM', told);
  const forget = () => {
    process.off('SIGINT', told);
    process.off('SIGTERM', told);
  };
  return { signal: stopping.signal, forget };
}
