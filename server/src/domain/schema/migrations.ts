import type { Migration } from '../../platform/storage/migrations.ts';
import { foundation } from './migrations/0001-foundation.ts';
import { pathOfAFix } from './migrations/0002-path-of-a-fix.ts';
import { live } from './migrations/0003-live.ts';
import { outbox } from './migrations/0004-outbox.ts';
import { inHand } from './migrations/0005-in-hand.ts';
import { words } from './migrations/0006-words.ts';
import { firedOccasions } from './migrations/0007-fired-occasions.ts';
import { deviceSecret } from './migrations/0008-device-secret.ts';
import { channels } from './migrations/0009-channels.ts';
import { forwarderStatus } from './migrations/0010-forwarder-status.ts';
import { audit } from './migrations/0011-audit.ts';
import { rights } from './migrations/0012-rights.ts';
import { mail } from './migrations/0013-mail.ts';
import { keptOnce } from './migrations/0014-kept-once.ts';
import { doors } from './migrations/0015-doors.ts';
import { passwordGuard } from './migrations/0016-password-guard.ts';
import { rest } from './migrations/0017-rest.ts';
import { auditView } from './migrations/0018-audit-view.ts';
import { signIn } from './migrations/0019-sign-in.ts';
import { queueProof } from './migrations/0020-queue-proof.ts';
import { publishedFields } from './migrations/0021-published-fields.ts';
import { geofenceLists } from './migrations/0022-geofence-lists.ts';
import { commands } from './migrations/0023-commands.ts';
import { deviceEvents } from './migrations/0024-device-events.ts';
import { creditNumbers } from './migrations/0025-credit-numbers.ts';
import { listeners } from './migrations/0026-listeners.ts';
import { oldTokens } from './migrations/0028-old-tokens.ts';
import { trackers } from './migrations/0029-trackers.ts';
import { tripTracks } from './migrations/0030-trip-tracks.ts';
import { namesAndRefreshes } from './migrations/0031-names-and-refreshes.ts';
import { tagPlaces } from './migrations/0032-tag-places.ts';
import { nodes } from './migrations/0034-nodes.ts';
import { slots } from './migrations/0035-slots.ts';
import { placeSince } from './migrations/0036-place-since.ts';
import { slotClocks } from './migrations/0039-slot-clocks.ts';
import { groupsAndRules } from './migrations/0042-groups-and-rules.ts';
import { watching } from './migrations/0043-watching.ts';
import { links } from './migrations/0044-links.ts';
import { languages } from './migrations/0046-languages.ts';
import { savedViews } from './migrations/0047-saved-views.ts';
import { historyImports } from './migrations/0048-history-imports.ts';
import { savedReports } from './migrations/0050-saved-reports.ts';
import { maintenance } from './migrations/0052-maintenance.ts';
import { drivers } from './migrations/0053-drivers.ts';
import { slimPositions } from './migrations/0055-slim-positions.ts';
import { segments } from './migrations/0057-segments.ts';
import { erasures } from './migrations/0059-erasures.ts';
import { slotKeys } from './migrations/0060-slot-keys.ts';
import { groupLinks } from './migrations/0064-group-links.ts';
import { retention } from './migrations/0067-retention.ts';
import { readingSegments } from './migrations/0068-reading-segments.ts';
import { reportDays } from './migrations/0071-report-days.ts';
import { outgoing } from './migrations/0072-outgoing.ts';
import { keptReadings } from './migrations/0073-kept-readings.ts';
import { segmentMonths } from './migrations/0074-segment-months.ts';
import { fenceChecks } from './migrations/0075-fence-checks.ts';

/** In the order they run. A migration that was released never changes. */
export const MIGRATIONS: readonly Migration[] = [
  foundation,
  pathOfAFix,
  live,
  outbox,
  inHand,
  words,
  firedOccasions,
  deviceSecret,
  channels,
  forwarderStatus,
  audit,
  rights,
  mail,
  keptOnce,
  doors,
  passwordGuard,
  rest,
  auditView,
  signIn,
  queueProof,
  publishedFields,
  geofenceLists,
  commands,
  deviceEvents,
  creditNumbers,
  listeners,
  oldTokens,
  trackers,
  tripTracks,
  namesAndRefreshes,
  tagPlaces,
  nodes,
  slots,
  placeSince,
  slotClocks,
  groupsAndRules,
  watching,
  links,
  languages,
  savedViews,
  historyImports,
  savedReports,
  maintenance,
  drivers,
  slimPositions,
  segments,
  erasures,
  slotKeys,
  groupLinks,
  retention,
  readingSegments,
  reportDays,
  outgoing,
  keptReadings,
  segmentMonths,
  fenceChecks,
];
