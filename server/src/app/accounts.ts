import type { Gate } from '../calls.ts';
import { type DeviceAccess, deviceAccess } from '../domain/devices/access.ts';
import type { ShareFollowers } from '../domain/devices/grants.ts';
import { deviceIdentifiers } from '../domain/devices/identifiers.ts';
import { type AdminPolicy, keepAdminPolicy } from '../domain/rights.ts';
import type { Store } from '../domain/schema/tables.ts';
import { openSigning, type Signing } from '../domain/users/browser-sessions.ts';
import { makeAdminOfSettings, openSetup } from '../domain/users/first-admin.ts';
import { LastUses } from '../domain/users/last-uses.ts';
import { isKnownAddress } from '../domain/users/sign-in-addresses.ts';
import { userNamed } from '../domain/users/sign-in-check.ts';
import { authenticator } from '../domain/users/tokens.ts';
import type { OpenidRouteOptions } from '../edge/http/openid-routes.ts';
import { openidProvider } from '../edge/integrations/openid-provider.ts';
import { timeNow } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Vault } from '../platform/vault.ts';
import type { AppBase } from './base.ts';
import { accountMailerOf, sessionLifeOf } from './from-settings.ts';
import type { Settings } from './settings.ts';
import { grantsClaimer, shareFollowers } from './sharing.ts';

export type Accounts = Awaited<ReturnType<typeof openAccounts>>;

/** Who may do what, and how people sign in. */
export async function openAccounts(
  { store, vault, settings, policy, log, bus }: AppBase,
  running: AsyncDisposableStack,
) {
  const adminMade = await makeAdmin(store, settings);
  const setupToken = await openSetup(store, vault);
  const access = deviceAccess(store);
  const admins = { needsSecondFactor: settings.adminSecondFactor };
  await keepAdminPolicy(store, admins);
  const life = sessionLifeOf(settings);
  const uses = new LastUses();
  running.defer(() =>
    uses.write(store).catch((error) => log.error({ error }, 'The last use of tokens could not be stored')),
  );
  const gate = gateOf(store, access, authenticator(store, { life, uses, admins }));
  const mailer = accountMailerOf(settings, policy, { wake: () => bus.emit('outboxChanged'), seal: vault.seal });
  const signing = signingOf(store, settings, { admins, vault, shareFollowers });
  return { adminMade, setupToken, access, admins, life, uses, gate, mailer, signing };
}

function gateOf(store: Store, access: DeviceAccess, authenticate: Gate['authenticate']): Gate {
  const user = store.prepare('users.exists', 'SELECT "id" FROM "users" WHERE "id" = ?');
  const named = deviceIdentifiers(store, access);
  return {
    authenticate,
    rightOn: access.rightOn,
    deviceNamed: async (caller, identifier) => (await named(caller, identifier))?.deviceId,
    userExists: async (userId) => (await user.get(userId)) !== undefined,
    async userKnownAt(address, account, now) {
      const userId = (await userNamed(store, account))?.id;
      return userId !== undefined && (await isKnownAddress(store.query, userId, address, now)) ? userId : undefined;
    },
  };
}

interface SigningParts {
  readonly admins: AdminPolicy;
  readonly vault: Vault;
  readonly shareFollowers: ShareFollowers;
}

function signingOf(store: Store, settings: Settings, { admins, vault, shareFollowers }: SigningParts): Signing {
  const { publicUrl, tabToken, openidDomains, openidCreateUsers, openidPasswords } = settings;
  const domains = openidDomains
    .toLowerCase()
    .split(',')
    .map((domain) => domain.trim())
    .filter(Boolean);
  const addressConfirmed = grantsClaimer(shareFollowers);
  const openid = { domains, createsUsers: openidCreateUsers, passwords: openidPasswords, addressConfirmed };
  return openSigning(store, { vault, publicUrl, tabTokenS: tabToken, admins, openid });
}

export function openidOf(settings: Settings, { sessions, vault }: Signing, log: Log): OpenidRouteOptions {
  const { openidIssuer: issuer, openidClientId: clientId, openidClientSecret: clientSecret, publicUrl } = settings;
  return { provider: openidProvider({ issuer, clientId, clientSecret }), sessions, vault, publicUrl, log };
}

/** Whether the admin of the settings was made at this start. */
async function makeAdmin(store: Store, { adminEmail, adminPassword }: Settings): Promise<boolean> {
  if (adminEmail === '' || adminPassword === '') return false;
  return makeAdminOfSettings(store, adminEmail, adminPassword, timeNow());
}
