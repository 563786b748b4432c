import { createCity } from '@trackway/simulator/city.ts';
import { cpuTimeMs } from '../print/cpu-time.ts';
import { outputOf } from '../process.ts';

/** Where the devices of the benches are under way. */
export const CITY = createCity({ seed: 1 });

/** What a fleet sends, all of it as fast as it is answered, or at a pace. */
export interface Sending {
  readonly address: string;
  /** One for each device. */
  readonly keys: readonly string[];
  readonly reports: number;
  /** In each report. */
  readonly positions: number;
  readonly connections: number;
  /** Of the first fix, epoch ms. */
  readonly startAt: number;
  /** Between the fixes of a device. */
  readonly intervalS: number;
  /** The interval at which each connection sends a report; by default as soon as the one before is answered. */
  readonly everyMs?: number;
}

export interface Sent {
  readonly reports: number;
  readonly positions: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failures: number;
  readonly lastFailure: string;
  /** After the last fix: a fleet that goes on begins here. */
  readonly endedAt: number;
}

export interface MeasuredSent extends Sent {
  readonly perSecond: number;
  /** Processor time of the server for one position. */
  readonly cpuUs: number;
}

/** Sends from a process of its own. */
export async function send(sending: Sending, pid: number): Promise<MeasuredSent> {
  const before = cpuTimeMs(pid) ?? Number.NaN;
  const output = await outputOf({ arguments: ['bench/src/load/report-sender.ts'], input: JSON.stringify(sending) });
  const cpuMs = (cpuTimeMs(pid) ?? Number.NaN) - before;
  const sent = JSON.parse(output) as Sent;
  if (sent.failures > 0) throw new Error(`${sent.failures} reports were not taken: ${sent.lastFailure}`);
  return { ...sent, perSecond: sent.positions / sent.seconds, cpuUs: (cpuMs * 1000) / sent.positions };
}
