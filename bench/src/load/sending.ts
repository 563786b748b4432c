import { createCity } from '@trackway/simulator/city.ts';
import { cpuTimeMs } from '../print/cpu-time.ts';
import { outputOf } from '../process.ts';

/** The city in which the devices of the benches move. */
export const CITY = createCity({ seed: 1 });

/** The reports of a fleet, each sent after the previous answer, or at a fixed rate. */
export interface Sending {
  readonly address: string;
  /** One key per device. */
  readonly keys: readonly string[];
  readonly reports: number;
  /** Positions per report. */
  readonly positions: number;
  readonly connections: number;
  /** The time of the first fix, in epoch milliseconds. */
  readonly startAt: number;
  /** Seconds between the fixes of a device. */
  readonly intervalS: number;
  /** The interval of the reports of a connection; by default each follows the previous answer. */
  readonly everyMs?: number;
  /** Each position comes with a reading of the ignition. */
  readonly withIgnition?: boolean;
  /** Over a web socket for each device instead of a request for each report. */
  readonly overSocket?: boolean;
  /** Where one position per report is sent to; by default `/ingest/reports`. By id, `keys` are identifiers. */
  readonly endpoint?: 'osmand-key' | 'osmand-id' | 'owntracks';
}

export interface Sent {
  readonly reports: number;
  readonly positions: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failures: number;
  readonly lastFailure: string;
  /** The time after the last fix, where a fleet that continues begins. */
  readonly endedAt: number;
}

export interface MeasuredSent extends Sent {
  readonly perSecond: number;
  /** Processor time of the server per position. */
  readonly cpuUs: number;
}

/** Sends from a separate process. */
export async function send(sending: Sending, pid: number): Promise<MeasuredSent> {
  const before = cpuTimeMs(pid) ?? Number.NaN;
  const sender = `bench/src/load/${sending.overSocket ? 'stream' : 'report'}-sender.ts`;
  const output = await outputOf({ arguments: [sender], input: JSON.stringify(sending) });
  const cpuMs = (cpuTimeMs(pid) ?? Number.NaN) - before;
  const sent = JSON.parse(output) as Sent;
  if (sent.failures > 0) throw new Error(`${sent.failures} reports were not taken: ${sent.lastFailure}`);
  return { ...sent, perSecond: sent.positions / sent.seconds, cpuUs: (cpuMs * 1000) / sent.positions };
}
