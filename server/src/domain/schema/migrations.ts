import type { Migration } from '../../platform/storage/migrations.ts';
import { foundation } from './0001-foundation.ts';
import { pathOfAFix } from './0002-path-of-a-fix.ts';
import { live } from './0003-live.ts';
import { outbox } from './0004-outbox.ts';
import { inHand } from './0005-in-hand.ts';
import { words } from './0006-words.ts';
import { firedOccasions } from './0007-fired-occasions.ts';
import { deviceSecret } from './0008-device-secret.ts';
import { channels } from './0009-channels.ts';
import { forwarderStatus } from './0010-forwarder-status.ts';

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
];
