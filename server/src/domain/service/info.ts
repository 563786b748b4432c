import { readFileSync } from 'node:fs';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { infoOperations as contract } from '@trackway/contract/resources/service/info.ts';
import type { Handlers } from '../../calls.ts';
import type { Store } from '../schema/tables.ts';
import { anyUser } from '../users/first-admin.ts';

/** The version of the service. */
export const VERSION: string = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
).version;

type ShownMap = Pick<AnswerOf<'getServerInfo'>, 'mapStyle' | 'mapFile'>;
type Reported = Omit<
  AnswerOf<'getServerInfo'>,
  'version' | 'needsSetup' | 'trackersPort' | 'channels' | keyof ShownMap
> & {
  /** Known once the server listens. */
  trackersPort(): number | undefined;
  /** Which channels are set up now. */
  channels(): AnswerOf<'getServerInfo'>['channels'];
  /** The current choice. */
  map(): Promise<ShownMap>;
};

/** Public information about this server. */
export function infoOperations(store: Store, reported: Reported): Handlers<keyof typeof contract> {
  const { publicUrl, mapOverlay, findsAddresses, openidButton, planPurchase, pushKey } = reported;
  const info = {
    version: VERSION,
    publicUrl: publicUrl.replace(/\/+$/, ''),
    mapOverlay,
    findsAddresses,
    openidButton,
    planPurchase,
    pushKey,
  };
  // Cached once there is a user, because every page load reads this.
  let isSetUp = false;
  return {
    async getServerInfo() {
      isSetUp ||= await anyUser(store);
      return {
        ...info,
        channels: reported.channels(),
        ...(await reported.map()),
        trackersPort: reported.trackersPort() ?? null,
        needsSetup: !isSetUp,
      };
    },
  };
}
