import { deviceAccess } from '../domain/devices/access.ts';
import { keepAdminPolicy } from '../domain/rights.ts';
import { openSetup } from '../domain/users/first-admin.ts';
import { LastUses } from '../domain/users/last-uses.ts';
import { authenticator } from '../domain/users/tokens.ts';
import type { AppBase } from './base.ts';
import { accountMailerOf, sessionLifeOf } from './from-settings.ts';
import { shareFollowers } from './sharing.ts';
import { gateOf, makeAdmin, signingOf } from './signing-in.ts';

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
  running.defer(() => uses.write(store).catch((error) => log.error({ error }, 'The last use of tokens was not kept')));
  const gate = gateOf(store, access, authenticator(store, { life, uses, admins }));
  const mailer = accountMailerOf(settings, policy, { wake: () => bus.emit('outboxChanged'), seal: vault.seal });
  const signing = signingOf(store, settings, { admins, vault, shareFollowers });
  return { adminMade, setupToken, access, admins, life, uses, gate, mailer, signing };
}
