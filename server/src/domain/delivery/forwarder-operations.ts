import type { AuditAction } from '@trackway/contract/audit.ts';
import { specOf } from '@trackway/contract/channels.ts';
import { UNPROVEN_CODE } from '@trackway/contract/queue-arn.ts';
import {
  type forwardingOperations as contract,
  type ForwardingSetup,
  forwarder,
} from '@trackway/contract/resources/forwarding.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import type { Call, Handlers } from '../../calls.ts';
import { badRequest, Refusal } from '../../platform/errors.ts';
import { readable, secretsInUse } from '../../platform/outbox/destinations.ts';
import type { Vault } from '../../platform/vault.ts';
import { accessDenied } from '../../refusals.ts';
import { endedBy, recordAudit, recordDeviceAudit } from '../audit/record.ts';
import { children, countOf, familyOf, listOf, refuseMoved, rowOf } from '../family.ts';
import { getRow } from '../rows.ts';
import type { ForwarderRow } from '../schema/rows/sending-rows.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { type ForwarderSettings, Forwarders, type ForwardersChanged } from './forwarders.ts';
import { queueRight, UNPROVEN } from './queue-holders.ts';
import { queueOperations } from './queue-operations.ts';
import { forwardedTypes, queueProofOperations, requireQueueArn, type SendProof } from './queue-proofs.ts';
import { type CheckTarget, requireTarget } from './targets.ts';

/** As the view returns it. */
const READY = 'Ready. Nothing has been sent yet.';

type Body = Partial<Omit<ForwarderSettings, 'origin'>> & { readonly target?: string | null };

interface ForwardingOptions {
  readonly checkTarget: CheckTarget;
  readonly changed: ForwardersChanged;
  readonly vault: Vault;
  /** What the operator must do before this channel can send, in a sentence; null where it is set up. */
  readonly missing?: (kind: ForwarderRow['kind']) => string | null;
  /** Whether the operator allows a queue, so that it needs no proof. */
  readonly isAllowedQueue?: (arn: string) => boolean;
  readonly sendProof?: SendProof;
}

const CANNOT_SEND: SendProof = async () => ({ kind: 'unconfigured', reason: 'queues are not set up.' });

export function forwardingOperations(
  store: Store,
  {
    checkTarget,
    changed,
    vault,
    missing = () => null,
    isAllowedQueue = () => true,
    sendProof = CANNOT_SEND,
  }: ForwardingOptions,
): Handlers<keyof typeof contract> {
  const forwarders = new Forwarders(changed);
  const setUp = forwardingSetup(store, forwarders);
  const rows = collectionOf(store, 'forwarderStates', forwarder);
  const family = familyOf('forwarder', rows, ({ deviceId, right, caller }) =>
    right === 'own'
      ? children('deviceId', deviceId)
      : { sql: '"deviceId" = ? AND "userId" = ?', cells: [deviceId, caller.userId] },
  );
  /** Before anything was sent, only the settings show that it cannot work. A proof counts from its moment on. */
  async function withSetup(row: Shown<typeof forwarder>): Promise<Shown<typeof forwarder>> {
    const wantedProof = (row.lastErrorDetails as { code?: string } | null | undefined)?.code === UNPROVEN_CODE;
    // A filter may have left out the kind.
    if ((row.status !== READY && !wantedProof) || row.kind === undefined) return row;
    const isMissing = missing(row.kind);
    if (isMissing !== null) return { ...row, status: isMissing, state: 'unconfigured' };
    const status = await unproven(row);
    if (status !== undefined) return { ...row, status, state: 'unproven' };
    const cleared = wantedProof && row.lastError !== undefined && { lastError: null, lastErrorDetails: null };
    return { ...row, status: READY, state: 'ready', ...cleared };
  }
  async function unproven({ id, kind, target }: Shown<typeof forwarder>): Promise<string | undefined> {
    if (kind !== 'sqs' || target === undefined || id === undefined || isAllowedQueue(target)) return undefined;
    const { destinationId } = await getRow(store.query, 'forwarders', { id }, ['destinationId']);
    return (await queueRight(store.query, destinationId ?? 0)) === 'proven' ? undefined : UNPROVEN;
  }
  const shown = async (call: Call, key: number) => withSetup(rows.present(await rowOf(family, { ...call, key })));

  return {
    setupSqsForwarding: (call) => setUp(call, call.parameters),
    setupSqsForwardingByPost: (call) => setUp(call, call.body),
    ...queueOperations(store, forwarders),
    ...queueProofOperations(store, forwarders, sendProof),

    async listForwarders(call) {
      const listed = JSON.parse((await listOf(family, call)).text) as Shown<typeof forwarder>[];
      return Promise.all(listed.map(withSetup));
    },
    countForwarders: (call) => countOf(family, call),
    getForwarder: async (call) => await shown(call, call.key),

    async createForwarder(call) {
      const { deviceId, caller, now } = call;
      const body = call.body as Body & { kind: ForwarderRow['kind'] };
      const types = forwardedTypes(body.types ?? null);
      const target = requireTarget(body.kind, body.target, { userId: caller.userId, deviceId }, checkTarget);
      const made = await store.transaction(async (tx) => {
        await forwarders.takeTurns(tx, deviceId);
        const settings = { ...body, target, types, origin: 'api' } as const;
        const added = await forwarders.add(tx, settings, { deviceId, caller, field: 'target', now });
        await recordForwarder(tx, call, 'forwarder.created', { id: added.id, kind: body.kind, types });
        return added;
      });
      const secret = specOf(body.kind).isSigned ? await secretOf(store, vault, made.destinationId) : null;
      return { ...(await shown(call, made.id)), secret };
    },

    async updateForwarder(call) {
      const { deviceId, key, now } = call;
      const before = await rowOf(family, call);
      const [kind, userId] = [before.kind as ForwarderRow['kind'], before.userId as number];
      refuseMoved(call.sent, { id: key, deviceId, userId });
      const { types, raw, corrections, active, ...body } = call.body as Body;
      if (body.kind !== undefined && body.kind !== kind) throw badRequest(`kind cannot change: it is ${kind}`);
      const target = requireTarget(kind, body.target ?? (before.target as string), { userId, deviceId }, checkTarget);
      const flags = Object.entries({ raw, corrections, active }).flatMap(([name, value]) =>
        typeof value === 'boolean' ? [[name, value ? 1 : 0]] : [],
      );
      const values = {
        ...Object.fromEntries(flags),
        ...(types && { types: JSON.stringify(forwardedTypes(types)) }),
      };
      const isSame = target === before.target && (values.types === undefined || values.types === before.types);
      // A user who changes the target could read data that only the forwarder's user may see.
      if (!isSame && userId !== call.caller.userId && !call.caller.admin) throw accessDenied();
      const isAimed = target !== before.target || active === true;
      await store.transaction(async (tx) => {
        await forwarders.takeTurns(tx, deviceId);
        const user = { userId, isAdmin: call.caller.admin };
        const aim = isAimed && {
          target,
          destinationId: await forwarders.aim(tx, { kind, target }, user, 'target', now),
        };
        await forwarders.change(tx, key, deviceId, { ...values, ...aim });
        const fields = Object.keys(call.body as object);
        await recordForwarder(tx, call, 'forwarder.updated', { id: key, kind, userId, fields });
      });
      return shown(call, key);
    },

    async deleteForwarder(call) {
      const { id, userId, kind } = await rowOf(family, call);
      await store.transaction(async (tx) => {
        await forwarders.remove(tx, { id: id as number, deviceId: call.deviceId }, call.now);
        await recordForwarder(tx, call, 'forwarder.deleted', { id, kind, userId });
        if (userId !== call.caller.userId)
          await recordAudit(tx, endedBy(call, 'forwarder.ended', userId as number, { id, kind }), call.now);
      });
    },
  };
}

async function secretOf(store: Store, vault: Vault, destinationId: number): Promise<string | null> {
  return store.transaction(async (tx) => {
    // Setting the id locks the row, so that two who need the first secret get the same one.
    const row = await tx
      .updateTable('destinations')
      .set({ id: destinationId })
      .where('id', '=', destinationId)
      .returning('secrets')
      .executeTakeFirst();
    const [first] = row ? readable(await secretsInUse(tx, vault, destinationId, row.secrets)) : [];
    return first?.secret ?? null;
  });
}

const setUpByAnother = () =>
  new Refusal(403, 'Another user has set up the queue of this device: only they or its owner can change it.', {
    code: 'ACCESS_DENIED',
  });

/** The one forwarder of a device that operation setupSqsForwarding owns. */
function forwardingSetup(store: Store, forwarders: Forwarders) {
  return async (call: Call, { sqsArn, types: sent }: ForwardingSetup): Promise<{ status: string }> => {
    const wanted = forwardedTypes(sent);
    const { deviceId, caller, now } = call;
    return store.transaction(async (tx) => {
      await forwarders.takeTurns(tx, deviceId);
      const current = await tx
        .selectFrom('forwarders')
        .selectAll()
        .where('deviceId', '=', deviceId)
        .where('origin', '=', 'setup')
        .executeTakeFirst();
      if (sqsArn === undefined || sqsArn === null) return { status: current ? 'ok' : 'off' };
      // Only the owner of the device may replace or end what another has set up on it.
      if (current && current.userId !== caller.userId && call.right !== 'own') throw setUpByAnother();
      if (sqsArn === '') {
        if (current) {
          await forwarders.remove(tx, current, now);
          await recordForwarder(tx, call, 'forwarder.deleted', { id: current.id, kind: 'sqs', userId: current.userId });
        }
        return { status: 'off' };
      }
      const target = requireQueueArn(sqsArn);
      const types = JSON.stringify(wanted);
      const isThere = current?.target === target;
      if (isThere && current.active === 1 && JSON.stringify(JSON.parse(current.types)) === types)
        return { status: 'ok' };
      const settings = { kind: 'sqs', target, types: wanted, origin: 'setup' } as const;
      // What waits for the same queue goes on waiting.
      if (isThere && current.userId === caller.userId) {
        const user = { userId: caller.userId, isAdmin: caller.admin };
        const destinationId = await forwarders.aim(tx, settings, user, 'sqsArn', now);
        await forwarders.change(tx, current.id, deviceId, { types, active: 1, destinationId });
        await recordForwarder(tx, call, 'forwarder.updated', { id: current.id, kind: 'sqs', types: wanted });
        return { status: 'ok' };
      }
      if (current) await forwarders.remove(tx, current, now);
      const { id } = await forwarders.add(tx, settings, { deviceId, caller, field: 'sqsArn', now });
      const detail = { id, kind: 'sqs', types: wanted, ...(current && { replaces: current.id }) };
      await recordForwarder(tx, call, 'forwarder.created', detail);
      return { status: 'ok' };
    });
  };
}

/** Targets are not part of the entry: an address may contain a secret. */
const recordForwarder = (tx: Tx, call: Call, action: AuditAction, detail: Readonly<Record<string, unknown>>) =>
  recordDeviceAudit(tx, call, { action, deviceId: call.deviceId, detail });
