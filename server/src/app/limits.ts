import type { Quotas } from '../domain/users/quotas.ts';
import { FailureLimit, RateLimit } from '../edge/http/rate-limit.ts';
import type { Settings } from './settings.ts';

/** Limits per minute. The limits of requests and reports apply to all nodes together. */
export const limitsOf = (settings: Settings) => ({
  requests: new RateLimit(settings.rateLimit),
  guarded: new RateLimit(settings.loginRateLimit),
  reports: new RateLimit(settings.ingestRateLimit),
  failures: new FailureLimit(settings.failureLimit),
  unknown: new FailureLimit(settings.failureLimit),
  trackers: new RateLimit(settings.ingestRateLimit),
  trackerFailures: new FailureLimit(settings.failureLimit),
});
export type Limits = ReturnType<typeof limitsOf>;

export const exchangedOf = ({ requests, guarded, reports, failures, unknown, trackers, trackerFailures }: Limits) => ({
  requests,
  guarded,
  reports,
  failures: failures.counts,
  unknown: unknown.counts,
  trackers,
  trackerFailures: trackerFailures.counts,
});

export const quotasOf = (settings: Settings): Quotas => ({
  devices: settings.quotaDevices,
  triggers: settings.quotaTriggers,
  deviceTriggers: settings.quotaDeviceTriggers,
  geofences: settings.quotaGeofences,
  tokens: settings.quotaTokens,
  messages: settings.quotaMessages,
  deviceMessages: settings.quotaDeviceMessages,
  shares: settings.quotaShares,
  geofenceLists: MOST_LISTS,
  listMembers: MOST_LIST_MEMBERS,
  identityClaims: settings.quotaIdentityClaims,
});

/** No settings of their own: far more than anybody needs. */
const MOST_LISTS = 1000;
const MOST_LIST_MEMBERS = 1000;
