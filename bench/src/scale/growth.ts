import { type Measured, measure } from '../load/load.ts';
import { maximum, median, spread } from '../print/statistics.ts';
import { number } from '../print/table.ts';
import { Api, type Trackway } from '../trackway.ts';
import type { Finding } from './finding.ts';
import { DEVICE_ID } from './readings-database.ts';

const ROUNDS = 5;
const SECONDS = 3;
const CONNECTIONS = 32;
/** The number of different readings that are asked for in turn, spread over all there are. */
const ASKED = 1000;
const BAR = 0.2;

export interface Filled {
  readonly server: Trackway;
  readonly readings: number;
}

/** What operation 1 costs with few readings and with many, in turns. */
export async function growth(few: Filled, many: Filled): Promise<Finding[]> {
  const atFew: Measured[] = [];
  const atMany: Measured[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [one, other] = [await readEach(few), await readEach(many)];
    if (round === 0) continue;
    atFew.push(one);
    atMany.push(other);
  }
  const compared = (what: string, unit: string, of: (measured: Measured) => number): Finding => {
    const [one, other] = [median(atFew.map(of)), median(atMany.map(of))];
    const changes = atMany.map((measured, round) => Math.abs(of(measured) / of(atFew[round]!) - 1));
    const scale = `at ${number(few.readings)} and ${number(many.readings)} readings`;
    return {
      what: `operation 1 ${scale}: ${what}`,
      median: `${number(one)} and ${number(other)} ${unit} (${number((other / one - 1) * 100)} %)`,
      worst: `${number(maximum(changes) * 100)} %`,
      bar: `± ${BAR * 100} %`,
      isMet: Math.abs(other / one - 1) <= BAR,
    };
  };
  return [
    compared('rate', 'req/s', (measured) => measured.requestsPerSecond),
    compared('CPU', 'µs', (measured) => measured.cpuUs),
  ];
}

async function readEach({ server, readings }: Filled): Promise<Measured> {
  const { headers } = await Api.signIn(server.address);
  const requests = spread(ASKED, readings).map((id) => ({
    method: 'GET' as const,
    path: `/api/devices/${DEVICE_ID}/gatewayReadings/${id}`,
    headers,
  }));
  return measure({ address: server.address, requests, connections: CONNECTIONS, seconds: SECONDS }, server.pid);
}
