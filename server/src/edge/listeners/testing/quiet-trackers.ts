import { watchfulLog } from '../../../testing/watchful-log.ts';
import { FailureLimit, RateLimit } from '../../http/rate-limit.ts';
import type { TrackerOptions } from '../trackers.ts';
import type { FakeGateway } from './fake-gateway.ts';
import { lineProtocol } from './line-protocol.ts';

/** A listener on a free port, without limits, for devices with the line protocol. */
export const quietTrackers = (gateway: FakeGateway): TrackerOptions => ({
  host: '127.0.0.1',
  port: 0,
  fixed: [],
  protocols: [lineProtocol],
  connections: 0,
  perAddress: 0,
  idleMs: 600_000,
  gateway,
  failures: new FailureLimit(0),
  limit: new RateLimit(0),
  log: watchfulLog,
});
