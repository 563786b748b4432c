import { type LineFaults, TrackerLine } from '@trackway/simulator/trackers/line.ts';
import { isLocated, type TrackerVoice } from '@trackway/simulator/trackers/voice.ts';
import type { Road } from './send.ts';

export interface TrackerRoadOptions {
  readonly host: string;
  readonly port: number;
  /** Protocol and identity of each device. */
  readonly devices: readonly { readonly voice: TrackerVoice; readonly identity: string }[];
}

/** Mobile networks split frames, and lose connections and responses. */
const FAULTS: LineFaults = { halves: 0.05, breaks: 0.01, resends: 0.02 };

/** Devices that report like trackers, each over its own persistent connection. */
export function trackerRoad({ host, port, devices }: TrackerRoadOptions): Road {
  const lines = devices.map((device) => new TrackerLine({ ...device, host, port, faults: FAULTS }));
  return {
    async send({ device, points }, _tally, signal) {
      const line = lines[device]!;
      const end = () => line.close();
      signal.addEventListener('abort', end, { once: true });
      try {
        await line.report(points.filter(isLocated));
        return { outcome: 'acknowledged' };
      } finally {
        signal.removeEventListener('abort', end);
      }
    },
    close() {
      for (const line of lines) line.close();
    },
  };
}
