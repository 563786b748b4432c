import { cpuTimeMs } from '../print/cpu-time.ts';
import { outputOf } from '../process.ts';

export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export interface Load {
  readonly address: string;
  /** Sent one after the other by each connection, then from the start again. */
  readonly requests: readonly LoadRequest[];
  readonly connections: number;
  readonly seconds: number;
}

/** The result of the load generator. */
export interface Observed {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly answers: number;
  readonly failures: number;
}

export interface Measured extends Observed {
  /** Processor time of the server per request: other load on the machine hardly affects it. */
  readonly cpuUs: number;
}

/** Generates the load in a separate process. */
export async function generateLoad(load: Load): Promise<Observed> {
  return JSON.parse(await outputOf({ arguments: ['bench/src/load/load-generator.ts'], input: JSON.stringify(load) }));
}

/** Measures a server under load. An answer that is not a success fails the measurement. */
export async function measure(load: Load, pid: number): Promise<Measured> {
  const before = cpuTimeMs(pid);
  const observed = await generateLoad(load);
  const after = cpuTimeMs(pid);
  if (observed.failures > 0) throw new Error(`${observed.failures} failures at ${load.address}`);
  const cpuMs = before === undefined || after === undefined ? Number.NaN : after - before;
  return { ...observed, cpuUs: (cpuMs * 1000) / observed.answers };
}
