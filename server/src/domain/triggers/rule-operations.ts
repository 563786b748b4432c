import type { AuditAction } from '@trackway/contract/audit.ts';
import { type ruleOperations as contract, rule as ruleNoun } from '@trackway/contract/resources/many/rule.ts';
import type { Call, Handlers } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { columnsOf } from '../../platform/storage/shape.ts';
import type { Vault } from '../../platform/vault.ts';
import { childNotFound, invalidField, quotaExceeded } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import { keepSecrets, NO_VAULT, takeSecrets } from '../delivery/address-secrets.ts';
import { DEFAULT_POLICY, type SendingPolicy } from '../delivery/sending-policy.ts';
import type { CheckTarget } from '../delivery/targets.ts';
import type { DeviceAccess } from '../devices/access.ts';
import { changedFields, countOf, familyOf, listOf, readOf, refuseMoved, rowOf } from '../family.ts';
import { countRows } from '../rows.ts';
import { shapeOf } from '../schema/shape.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { requireDeliverable, requireUsable, triggerChecks } from './checks.ts';
import { managersOfGroup } from './rule-applies.ts';

type Json = Record<string, unknown>;

const MOST_RULES = 200;

const STORED = shapeOf(ruleNoun)
  .flatMap(columnsOf)
  .filter((name) => name !== 'deviceCount' && name !== 'isSettled')
  .map((name) => `r."${name}"`)
  .join(', ');

/** The rules of a user, with what follows from their triggers. */
const SHOWN = `(SELECT ${STORED}, r."deletedAt", COALESCE(t."count", 0) AS "deviceCount",
  CASE WHEN r."appliedToId" IS NULL AND due."userId" IS NULL THEN 1 ELSE 0 END AS "isSettled"
  FROM "rules" r
  LEFT JOIN (SELECT "ruleId", COUNT(*) AS "count" FROM "notificationTriggers" WHERE "userId" = ? AND "ruleId" IS NOT NULL
    GROUP BY "ruleId") t ON t."ruleId" = r."id"
  LEFT JOIN (SELECT d."ownerId" AS "userId" FROM "ruleQueue" q JOIN "devices" d ON d."id" = q."deviceId" WHERE d."ownerId" = ?
    UNION SELECT h."userId" FROM "ruleQueue" q JOIN "shares" h ON h."deviceId" = q."deviceId" WHERE h."userId" = ?) due
    ON due."userId" = r."userId") AS "rules"`;

const rulesOf = ({ userId }: Pick<Call, 'userId'>): Scope => ({
  sql: '"userId" = ? AND "deletedAt" IS NULL',
  cells: [userId],
  from: { sql: SHOWN, cells: [userId, userId, userId] },
});

interface RuleParts {
  readonly access: DeviceAccess;
  readonly checkTarget: CheckTarget;
  readonly policy?: SendingPolicy;
  readonly vault?: Pick<Vault, 'seal'>;
  /** Lets triggers follow what was changed, as far as that is quickly done. */
  readonly follow: () => Promise<void>;
}

export function ruleOperations(
  store: Store,
  { access, checkTarget, policy = DEFAULT_POLICY, vault = NO_VAULT, follow }: RuleParts,
): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'rules', ruleNoun);
  const family = familyOf('rule', rows, rulesOf);
  const { requireKeys, requireAddresses, requireWatching } = triggerChecks(store, access, checkTarget, policy);

  const shown = async (call: Call, id: number) => {
    const row = await rows.find(rulesOf(call), id);
    if (row === undefined) throw childNotFound('rule', id);
    return rows.present(row);
  };

  /** What is stored of a rule that is right; `wanted` are the ways it is sent by, with `secrets` of their addresses. */
  async function checked(call: Call, values: Json, before?: Json) {
    const type = values.type as string;
    const earlier = before && { parameters: (before.parameters ?? {}) as Json, delivery: before.delivery as Json };
    const unknowns = { before: earlier?.parameters, isStrict: call.isStrict };
    const usable = requireUsable(type, (values.parameters ?? {}) as Json, values.delivery as Json, unknowns);
    requireDeliverable(usable, earlier);
    const escalation = requireWatching(values);
    await requireKeys(call, call.userId, type, usable.parameters);
    const wanted = escalation === undefined ? [usable] : [usable, escalation];
    const secrets = wanted.flatMap(takeSecrets);
    return { stored: { ...values, ...usable, ...(await extentIn(store, call, values)) } as Json, wanted, secrets };
  }

  return {
    listRules: (call) => listOf(family, call),
    countRules: (call) => countOf(family, call),
    getRule: (call) => readOf(family, call),

    async createRule(call) {
      const values = call.body as Json;
      const { stored, wanted, secrets } = await checked(call, values);
      const id = await store.transaction(async (tx) => {
        await requireRoom(tx, call.userId);
        for (const one of wanted) await requireAddresses(tx, call, call.userId, one);
        await keepSecrets(tx, vault, call.userId, secrets, call.now);
        const name = stored.name ?? stored.type;
        const row = await rows.insert({ ...stored, name, userId: call.userId, created: call.now }, tx, {
          appliedToId: 0,
        });
        await record(tx, call, 'rule.created', { id: row.id, name, type: stored.type });
        return row.id as number;
      });
      await follow();
      return shown(call, id);
    },

    async updateRule(call) {
      const before = rows.present(await rowOf(family, call)) as unknown as Json;
      refuseMoved(call.sent, { id: call.key, userId: before.userId as number });
      const { stored, wanted, secrets } = await checked(call, { ...before, ...(call.body as Json) }, before);
      const { id: _, userId: __, created: ___, deviceCount: ____, isSettled: _____, ...values } = stored;
      const fields = changedFields(values, before);
      if (fields.length === 0 && secrets.length === 0) return shown(call, call.key);
      await store.transaction(async (tx) => {
        for (const one of wanted) await requireAddresses(tx, call, call.userId, one);
        await keepSecrets(tx, vault, call.userId, secrets, call.now);
        if (fields.length === 0) return;
        const changed = await rows.update(call.key, Object.fromEntries(fields.map((name) => [name, values[name]])), tx);
        if (changed === undefined) throw childNotFound('rule', call.key);
        await tx
          .updateTable('rules')
          .set((of) => ({ version: of('version', '+', 1), appliedToId: 0 }))
          .where('id', '=', call.key)
          .execute();
        await record(tx, call, 'rule.updated', { id: call.key, name: changed.name, fields });
      });
      await follow();
      return shown(call, call.key);
    },

    async deleteRule(call) {
      const { name } = await rowOf(family, call);
      await store.transaction(async (tx) => {
        await tx
          .updateTable('rules')
          .set({ deletedAt: call.now, appliedToId: 0 })
          .where('id', '=', call.key)
          .where('deletedAt', 'is', null)
          .execute();
        await record(tx, call, 'rule.deleted', { id: call.key, name });
      });
      await follow();
    },
  };
}

/** What a rule applies to, without what says nothing of it. */
async function extentIn(store: Store, call: Call, { appliesTo, groupId, tag }: Json) {
  if (appliesTo === 'all') return { groupId: null, tag: null };
  if (appliesTo === 'tag') {
    if (!tag) throw invalidField('rule', 'tag', 'presence', "can't be blank for `tag`");
    return { groupId: null, tag };
  }
  if (!groupId) throw invalidField('rule', 'groupId', 'presence', "can't be blank for `group`");
  if (!(await managersOfGroup(store.query, groupId as number)).has(call.userId))
    throw invalidField('rule', 'groupId', 'unknown', `is not a group whose devices this user may manage: ${groupId}`);
  return { groupId, tag: null };
}

/** Checked with the user locked, so that the limit also applies to simultaneous calls. */
async function requireRoom(tx: Tx, userId: number): Promise<void> {
  await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
  const count = await countRows(tx.selectFrom('rules').where('userId', '=', userId).where('deletedAt', 'is', null));
  if (count >= MOST_RULES) throw quotaExceeded('rules', MOST_RULES);
}

const record = (tx: Tx, call: Call, action: AuditAction, detail: Json) =>
  recordAudit(tx, { action, ...byCaller(call), userId: call.userId, detail }, call.now);
