import { watchfulLog } from '../../../testing/watchful-log.ts';
import { FailureLimit } from '../../http/connections/failure-limit.ts';
import { RateLimit } from '../../http/rate-limit.ts';
import type { TrackerOptions } from '../trackers.ts';
import type { FakeDesk } from './fake-desk.ts';
import { lineProtocol } from './line-protocol.ts';

/** A listener on a free port, without limits, for devices that speak in lines. */
export const quietTrackers = (desk: FakeDesk): TrackerOptions => ({
  host: '127.0.0.1',
  port: 0,
  fixed: [],
  protocols: [lineProtocol],
  connections: 0,
  perAddress: 0,
  idleMs: 600_000,
  desk,
  failures: new FailureLimit(0),
  limit: new RateLimit(0),
  log: watchfulLog,
});
