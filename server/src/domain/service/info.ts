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
type Told = Omit<AnswerOf<'getServerInfo'>, 'version' | 'needsSetup' | 'trackersPort' | keyof ShownMap> & {
  /** Known once the server listens. */
  trackersPort(): number | undefined;
  /** As it is chosen now. */
  map(): Promise<ShownMap>;
};

/** Public information about this server. */
export function infoOperations(store: Store, told: Told): Handlers<keyof typeof contract> {
  const { publicUrl, mapOverlay, openidButton, planPurchase, pushKey, channels } = told;
  const info = {
    version: VERSION,
    publicUrl: publicUrl.replace(/\/+$/, ''),
    mapOverlay,
    openidButton,
    planPurchase,
    pushKey,
    channels,
  };
  // Cached once there is a user, because every page load reads this.
  let isSetUp = false;
  return {
    async getServerInfo() {
      isSetUp ||= await anyUser(store);
      return { ...info, ...(await told.map()), trackersPort: told.trackersPort() ?? null, needsSetup: !isSetUp };
    },
  };
}
