import { USERNAME, user as userNoun, type userOperations } from '@trackway/contract/resources/accounts/user.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import { MAILED } from '@trackway/contract/values.ts';
import type { Language } from '@trackway/contract/wording/languages.ts';
import type { Units } from '@trackway/contract/wording/units.ts';
import type { Call, Handlers } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { NotUnique } from '../../platform/storage/database.ts';
import { accessDenied, invalidField, modelNotFound } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import { countOf, familyOf, listOf, refuseMoved } from '../family.ts';
import type { RightsEnded } from '../rights.ts';
import { deleteDevice, deleteUserRow } from '../schema/dependants.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { type AccountMailer, NO_MAIL } from './account-letters.ts';
import { type AddressFollower, askForNewEmail } from './confirmations.ts';
import { endInvitationsOf } from './invite.ts';
import { endLinks, endLinksOfPassword } from './mail-links.ts';
import {
  type GivenProof,
  hashPassword,
  type OwnPassword,
  ownPasswordOf,
  requireFreshly,
  requireFreshSignIn,
} from './passwords.ts';
import { type QuietHours, requireHours } from './quiet-hours.ts';
import { type PasswordOwner, requireStrongPassword } from './require-strong.ts';
import { endTokensOf } from './tokens.ts';

type AccountOperation = Extract<
  keyof typeof userOperations,
  'listUsers' | 'countUsers' | 'createUser' | 'getUser' | 'updateUser' | 'deleteUser' | 'changePassword'
>;

type User = Shown<typeof userNoun>;

const CURRENT_PASSWORD = { context: 'user', field: 'currentPassword' };

const EVERYONE: Scope = { sql: '1 = 1', cells: [] };

/** Called when the quiet hours of a user change, when a user loses rights, and when an address is known to be theirs. */
interface AccountFollowers {
  readonly hoursChanged?: (tx: Tx, userId: number, now: number) => Promise<void>;
  readonly rightsEnded?: RightsEnded;
  readonly addressConfirmed?: AddressFollower;
}

/** A user as the API shows them. */
export async function shownUser(
  store: Store,
  userId: number,
  rows = collectionOf(store, 'users', userNoun),
): Promise<User> {
  const row = await rows.find(EVERYONE, userId);
  if (row === undefined) throw modelNotFound('user', userId);
  return rows.present(row);
}

export function accountOperations(
  store: Store,
  { hoursChanged, rightsEnded = async () => {}, addressConfirmed }: AccountFollowers = {},
  mailer: AccountMailer = NO_MAIL,
  ownPassword: OwnPassword = ownPasswordOf(store),
): Handlers<AccountOperation> {
  const rows = collectionOf(store, 'users', userNoun);
  const family = familyOf('user', rows, () => EVERYONE);

  /** Asked before anything is changed. @param after what the user is called then */
  async function requireStrong(userId: number, password: string, after: PasswordOwner, field: string): Promise<void> {
    const { email, username, name } = await found(userId);
    const context = field === 'password' ? 'user' : 'password';
    await requireStrongPassword(password, { email, username, name, ...after }, { context, field });
  }

  async function setPassword(tx: Tx, call: Call, userId: number, passwordHash: string): Promise<void> {
    await tx.updateTable('users').set({ passwordHash }).where('id', '=', userId).execute();
    await endTokensOf(tx, userId, call.caller.tokenId);
    await endLinksOfPassword(tx, userId);
    await recordAudit(tx, { action: 'user.passwordChanged', ...byCaller(call), userId }, call.now);
  }

  async function changeEmail(
    tx: Tx,
    { caller, userId, now, address }: Call,
    { email, newEmail, waits }: { email: string; newEmail: string; waits: boolean },
  ): Promise<void> {
    const audited = { actorId: caller.userId, tokenId: caller.tokenId, userId, address, detail: { newEmail } };
    await recordAudit(tx, { action: 'email.changed', ...audited }, now);
    if (waits) return askForNewEmail(tx, mailer, { userId, email, newEmail }, now);
    for (const kind of ['confirm', 'change', 'reset'] as const) await endLinks(tx, { kind, userId });
    const isVouched = caller.admin && caller.userId !== userId;
    await tx
      .updateTable('users')
      .set({ email: newEmail, newEmail: null, emailConfirmedAt: isVouched ? now : null })
      .where('id', '=', userId)
      .execute();
    if (isVouched) await addressConfirmed?.(tx, { userId, email: newEmail }, now);
  }

  const found = (userId: number) => shownUser(store, userId, rows);

  return {
    listUsers: (call) => listOf(family, call),
    countUsers: (call) => countOf(family, call),
    getUser: (call) => found(call.userId),

    async createUser(call) {
      const { password, ...profile } = call.body as Record<string, unknown>;
      const account = { ...profile, admin: profile.admin === true } as NewAccount;
      if (account.admin) requireFreshly(call);
      return createAccount(store, account, password as string, call.now, { addressConfirmed, by: call });
    },

    async updateUser(call) {
      const { caller, userId, sent } = call;
      const { password, currentPassword, code, ...profile } = call.body as Record<string, unknown>;
      refuseMoved(sent, { id: userId });
      const before = await found(userId);
      if (before.kind === 'service') refuseForService({ password, email: profile.email });
      if (profile.email !== undefined) profile.email = emailOf(profile.email as string);
      if (profile.username !== undefined && profile.username !== null && profile.username !== before.username) {
        profile.username = usernameOf(profile.username as string);
        await requireFreeUsername(store.query, profile.username as string, userId);
      }
      if (profile.admin !== undefined && profile.admin !== before.admin) {
        if (!caller.admin) throw accessDenied();
      }
      const changesAccess = password !== undefined || (profile.email !== undefined && profile.email !== before.email);
      const proof = { password: currentPassword, code } as GivenProof;
      const makesAdmin = profile.admin === true && !before.admin;
      if (makesAdmin || (changesAccess && before.admin && caller.userId !== userId))
        await requireFreshSignIn(call, proof, ownPassword, CURRENT_PASSWORD);
      if (changesAccess && caller.userId === userId && !(currentPassword && (await ownPassword(call, proof)))) {
        throw invalidField('user', 'currentPassword', 'invalid', 'is required to change this, and must be correct');
      }
      requireHours(profile);
      if (password !== undefined) await requireStrong(userId, password as string, profile, 'password');
      const passwordHash = password === undefined ? undefined : await hashPassword(password as string);
      const newEmail = profile.email === before.email ? undefined : (profile.email as string | undefined);
      // Where a link can prove it, the address waits for the link; without mail it changes now, and is not proven.
      const waits = newEmail !== undefined && caller.userId === userId && mailer.missing === undefined;
      if (waits) delete profile.email;
      const row = await unique(() =>
        store.transaction(async (tx) => {
          if (profile.admin === false && (await isLastAdmin(tx, userId)))
            throw invalidField('user', 'admin', 'lastAdmin', 'cannot be changed: this is the last admin');
          // First, since it ends the wish for another address.
          if (passwordHash !== undefined) await setPassword(tx, call, userId, passwordHash);
          if (newEmail !== undefined) await changeEmail(tx, call, { email: before.email, newEmail, waits });
          const after = await rows.update(userId, profile, tx);
          if (profile.timeZone !== undefined || profile.quietHours !== undefined)
            await hoursChanged?.(tx, userId, call.now);
          await recordProfile(tx, call, before, profile);
          if (before.admin && profile.admin === false) {
            await endInvitationsOf(tx, userId);
            await rightsEnded(tx, { userId }, call.now);
          }
          return after;
        }),
      );
      if (row === undefined) throw modelNotFound('user', userId);
      if (waits) mailer.wake();
      return rows.present(row);
    },

    async deleteUser(call) {
      const { key, now } = call;
      const { email } = await found(key);
      await store.transaction(async (tx) => {
        if (await isLastAdmin(tx, key))
          throw invalidField('user', 'id', 'lastAdmin', 'is the last admin and cannot be deleted');
        const owned = await tx
          .selectFrom('devices')
          .select('id')
          .where('ownerId', '=', key)
          .where('deletedAt', 'is', null)
          .execute();
        if (owned.length > 0) {
          throw invalidField(
            'user',
            'id',
            'ownsDevices',
            `owns ${owned.length} ${owned.length === 1 ? 'device: delete it' : 'devices: delete these'} first`,
          );
        }
        await forgetRulesOf(tx, key);
        await tx.deleteFrom('rules').where('userId', '=', key).execute();
        await tx.deleteFrom('shares').where('userId', '=', key).execute();
        await tx.updateTable('users').set({ admin: 0 }).where('id', '=', key).execute();
        await endInvitationsOf(tx, key);
        await rightsEnded(tx, { userId: key }, now);
        const deleted = await tx.selectFrom('devices').select('id').where('ownerId', '=', key).execute();
        for (const { id } of deleted) await deleteDevice(tx, id);
        await deleteUserRow(tx, key);
        const entry = { action: 'user.deleted', ...byCaller(call), userId: key, detail: { email } } as const;
        await recordAudit(tx, entry, now);
      });
    },

    async changePassword(call) {
      const { caller, body } = call;
      if (!body.oldPassword || !(await ownPassword(call, { password: body.oldPassword, code: body.code }))) {
        throw invalidField('password', 'oldPassword', 'invalid', 'is not correct');
      }
      await requireStrong(caller.userId, body.newPassword!, {}, 'newPassword');
      const passwordHash = await hashPassword(body.newPassword!);
      await store.transaction((tx) => setPassword(tx, call, caller.userId, passwordHash));
    },
  };
}

/** An account for a program has no password, and an address that is given to it. */
function refuseForService(sent: Readonly<Record<string, unknown>>): void {
  for (const [field, value] of Object.entries(sent))
    if (value !== undefined) throw invalidField('user', field, 'service', 'cannot be set for a service account');
}

/** Which fields of an account were changed; the values of its rights alone. */
async function recordProfile(
  tx: Tx,
  call: Call,
  before: User,
  profile: Readonly<Record<string, unknown>>,
): Promise<void> {
  const entry = { ...byCaller(call), userId: before.id };
  if (profile.admin !== undefined && profile.admin !== before.admin)
    await recordAudit(tx, { action: profile.admin ? 'user.adminGranted' : 'user.adminWithdrawn', ...entry }, call.now);
  const isSame = (name: string) =>
    JSON.stringify(profile[name] ?? null) === JSON.stringify(before[name as keyof User] ?? null);
  const fields = Object.keys(profile).filter((name) => name !== 'admin' && !isSame(name));
  if (fields.length > 0) await recordAudit(tx, { action: 'user.updated', ...entry, detail: { fields } }, call.now);
}

/** Invalidates the cached rules of these devices, because the user's triggers, forwarders and shares are deleted. */
async function forgetRulesOf(tx: Tx, userId: number): Promise<void> {
  const devices = new Set<number>();
  for (const table of ['notificationTriggers', 'forwarders', 'shares'] as const)
    for (const { deviceId } of await tx.selectFrom(table).select('deviceId').where('userId', '=', userId).execute())
      devices.add(deviceId);
  // In a fixed order, to avoid deadlocks.
  for (const deviceId of [...devices].sort((a, b) => a - b))
    await tx
      .updateTable('deviceStates')
      .set((of) => ({ rulesVersion: of('rulesVersion', '+', 1) }))
      .where('deviceId', '=', deviceId)
      .execute();
}

export interface NewAccount {
  readonly email: string;
  readonly username?: string | null;
  readonly name?: string | null;
  readonly admin: boolean;
  readonly meta?: unknown;
  readonly timeZone?: string | null;
  readonly quietHours?: QuietHours | null;
  readonly language?: Language | null;
  readonly units?: Units | null;
}

/** The creator of an account is responsible for its address, so the address counts as confirmed. */
export async function createAccount(
  store: Store,
  account: NewAccount,
  password: string,
  now: number,
  { addressConfirmed, by }: { addressConfirmed?: AddressFollower; by?: Pick<Call, 'caller' | 'address'> } = {},
): Promise<User> {
  const rows = collectionOf(store, 'users', userNoun);
  const email = emailOf(account.email);
  const username = account.username ? usernameOf(account.username) : null;
  requireHours(account);
  if (username !== null) await requireFreeUsername(store.query, username, 0);
  await requireStrongPassword(password, { ...account, email, username });
  const passwordHash = await hashPassword(password);
  const values = { ...account, email, username, created: now, emailConfirmedAt: now };
  const row = await unique(() =>
    store.transaction(async (tx) => {
      const made = await rows.insert(values, tx, { passwordHash });
      const detail = { email, admin: account.admin };
      const userId = made.id as number;
      await addressConfirmed?.(tx, { userId, email }, now);
      if (by) await recordAudit(tx, { action: 'user.created', ...byCaller(by), userId, detail }, now);
      return made;
    }),
  );
  return rows.present(row);
}

/** Addresses are compared regardless of case, so they are stored in lower case. */
export function emailOf(sent: string, context = 'user'): string {
  const email = sent.trim().toLowerCase();
  if (!MAILED.test(email)) throw invalidField(context, 'email', 'format', 'is not an e-mail address');
  return email;
}

/**
 * Letters of one script that nothing else looks like; those set before stay. An @ is not among them, because such a name
 * could be another user's e-mail address.
 */
function usernameOf(sent: string): string {
  if (USERNAME.test(sent)) return sent;
  const wrong = 'must be up to 64 letters a-z, digits, dots, hyphens and underscores, and begin with a letter or digit';
  throw invalidField('user', 'username', 'format', wrong);
}

/** Names that differ by case only could be taken for each other. */
async function requireFreeUsername(on: Tx, username: string, except: number): Promise<void> {
  const taken = await on
    .selectFrom('users')
    .select('id')
    .where((of) => of.fn<string>('lower', ['username']), '=', username.toLowerCase())
    .where('id', '!=', except)
    .executeTakeFirst();
  if (taken !== undefined) throw invalidField('user', 'username', 'uniqueness', 'is taken');
}

async function unique<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof NotUnique)) throw error;
    // The index on names is over an expression, so it names no column.
    const field = error.columns.includes('email') ? 'email' : 'username';
    throw invalidField('user', field, 'uniqueness', 'is taken');
  }
}

/**
 * Whether there is no other admin. Evaluated in the transaction that ends this admin's right: admins are locked, so
 * that two who end each other's right at once take turns.
 */
export async function isLastAdmin(tx: Tx, userId: number): Promise<boolean> {
  const admins = tx.selectFrom('users').select('id').where('admin', '=', 1).orderBy('id');
  // A row that another transaction demotes meanwhile is no longer selected after the lock is acquired.
  const found = await admins.forNoKeyUpdate().execute();
  return found.length === 1 && found[0]!.id === userId;
}
