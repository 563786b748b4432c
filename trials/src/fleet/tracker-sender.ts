import { TrackerLine } from '@trackway/simulator/trackers/line.ts';
import { isLocated, type LocatedPoint, type TrackerVoice } from '@trackway/simulator/trackers/voice.ts';
import { imeiOf, VOICES } from '@trackway/simulator/trackers/voices.ts';
import { DEVICES, type FleetReport, reportsOf } from './reports.ts';

/** Half of the fleet speaks one protocol, half the other. */
const voiceOf = (device: number): TrackerVoice => (device % 2 === 0 ? VOICES.teltonika : VOICES.gt06);

export const trackerIdentity = (device: number) => ({ imei: imeiOf(device), allowKeyless: true });

/** Trackers that send a position at a time over TCP, and send again whatever was not confirmed. */
export class TrackerSender {
  /** What was confirmed, as `point device time`. */
  readonly confirmed: string[] = [];
  readonly #source: Generator<FleetReport>;
  readonly #unsent: LocatedPoint[][] = Array.from({ length: DEVICES }, () => []);
  readonly #said = Array.from({ length: DEVICES }, () => new Set<number>());

  constructor(seed: number) {
    this.#source = reportsOf(seed);
  }

  /** Sends until `goOn` returns false or the server is gone. Each device sends at least once. */
  async send(port: number, goOn: () => boolean, confirmed = () => {}): Promise<void> {
    await Promise.all(
      this.#unsent.map(async (unsent, device) => {
        const line = new TrackerLine({
          voice: voiceOf(device),
          identity: trackerIdentity(device).imei,
          host: '127.0.0.1',
          port,
          faults: { halves: 0.1, resends: 0.1 },
        });
        try {
          do {
            const point = this.#next(device);
            await line.report([point]);
            unsent.shift();
            this.confirmed.push(`point ${device} ${point.timestamp}`);
            confirmed();
          } while (goOn());
        } catch {
          // The server is gone; what was not confirmed is sent to the next one.
        } finally {
          line.close();
        }
      }),
    );
  }

  #next(device: number): LocatedPoint {
    while (this.#unsent[device]!.length === 0) {
      const made = this.#source.next().value as FleetReport;
      const { points } = JSON.parse(made.body) as { points: LocatedPoint[] };
      for (const point of points.filter(isLocated)) this.#keep(made.device, point);
    }
    return this.#unsent[device]![0]!;
  }

  /** Trackers report the time in seconds, and each time once. */
  #keep(device: number, point: LocatedPoint): void {
    if (point.location.lat > 90) return;
    const at = typeof point.timestamp === 'number' ? point.timestamp : Date.parse(point.timestamp);
    const timestamp = Math.floor(at / 1000) * 1000;
    const said = this.#said[device]!;
    if (said.has(timestamp)) return;
    said.add(timestamp);
    this.#unsent[device]!.push({ ...point, timestamp });
  }
}
