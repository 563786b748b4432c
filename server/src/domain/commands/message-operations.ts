import { type Command, type messageOperations as contract, message } from '@trackway/contract/resources/message.ts';
import type { Sent } from '@trackway/contract/schema.ts';
import type { Call, Handlers } from '../../calls.ts';
import { childNotFound, invalidField } from '../../refusals.ts';
import { recordDeletedData, recordDeviceAudit } from '../audit/record.ts';
import {
  changedFields,
  children,
  countOf,
  familyOf,
  listOf,
  readOf,
  refuseMoved,
  removeAllOf,
  rowOf,
} from '../family.ts';
import { appendLiveEvents } from '../live/append-live-events.ts';
import { type EndUncovered, uncovered } from '../rights.ts';
import { findRow } from '../rows.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { type Quotas, UNLIMITED } from '../users/quotas.ts';
import { requireMessageRoom } from './queue-message.ts';

/**
 * @param queued called with a device that has a new waiting message
 * @param released called with a device whose connections must end
 */
export function messageOperations(
  store: Store,
  queued: (deviceId: number) => void = () => {},
  released: (deviceId: number) => void = () => {},
  quotas: Quotas = UNLIMITED,
): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'messages', message);
  const family = familyOf('message', rows, (call) => children('deviceId', call.deviceId));

  return {
    listMessages: (call) => listOf(family, call),
    countMessages: (call) => countOf(family, call),
    getMessage: (call) => readOf(family, call),
    async deleteMessage(call) {
      await rowOf(family, call);
      await store.transaction(async (tx) => {
        await rows.remove(call.key, tx, { deviceId: call.deviceId });
        await recordDeletedData(tx, call, { messages: [call.key] });
      });
    },
    async deleteMessages(call) {
      await recordDeletedData(store.query, call, { messages: 'all' });
      return removeAllOf(family, call);
    },

    async createMessage(call) {
      const values = call.body;
      requireContent(values);
      const state = values.mobileTerminated === false ? null : ('queued' as const);
      const service = { created: call.now, deviceId: call.deviceId, userId: call.caller.userId, state };
      const made = await store.transaction(async (tx) => {
        if (state !== null) await requireMessageRoom(tx, quotas, call);
        const shown = rows.present(await rows.insert({ ...values, ...service }, tx));
        // Its text may be a secret, such as the password of a tracker.
        if (state !== null) await recordSent(tx, call, shown.id);
        await appendLiveEvents(tx, [{ kind: 'message', deviceId: call.deviceId, event: shown }], call.now);
        return shown;
      });
      queued(call.deviceId);
      return made;
    },

    async sendCommand(call) {
      const { deviceId, caller, now } = call;
      const reported = commandOf(call.body, now);
      const supported = await supportedBy(store, deviceId);
      if (supported !== undefined && !supported.includes(reported.name))
        throw invalidField('command', 'command', 'unsupported', 'is not known to the protocol of this device');
      const made = await store.transaction(async (tx) => {
        await requireMessageRoom(tx, quotas, call);
        const row = await tx
          .insertInto('messages')
          .values({
            config: null,
            message: reported.text,
            mobileTerminated: 1,
            created: now,
            sent: null,
            deviceId,
            userId: caller.userId,
            expires: reported.expires,
            command: JSON.stringify({ name: reported.name, parameters: reported.parameters, force: reported.force }),
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        await recordDeviceAudit(tx, call, { action: 'command.sent', deviceId, detail: { command: reported.text } });
        const shown = rows.present({ ...row });
        await appendLiveEvents(tx, [{ kind: 'message', deviceId, event: shown }], now);
        return shown;
      });
      queued(deviceId);
      return made;
    },

    async releaseCommandChannel(call) {
      const { deviceId } = call;
      await store.transaction(async (tx) => {
        await tx.updateTable('devices').set({ commandProtocols: null }).where('id', '=', deviceId).execute();
        const detail = { commandChannel: 'released' };
        await recordDeviceAudit(tx, call, { action: 'device.updated', deviceId, detail });
      });
      released(deviceId);
    },

    async updateMessage(call) {
      const before = await rowOf(family, call);
      refuseMoved(call.sent, { id: call.key, deviceId: call.deviceId, userId: before.userId as number | null });
      const values = call.body;
      const shown = rows.present(before);
      const [changed] = changedFields(values, shown);
      if (changed !== undefined && before.sent !== null) {
        throw invalidField(
          'message',
          changed,
          'sent',
          'cannot be changed: the device has already received this message',
        );
      }
      requireContent({ ...shown, ...values });
      const row = await store.transaction(async (tx) => {
        if (changed !== undefined && shown.mobileTerminated) await recordSent(tx, call, call.key);
        return rows.update(call.key, values, tx, { deviceId: call.deviceId });
      });
      if (row === undefined) throw childNotFound('message', call.key);
      return rows.present(row);
    },
  };
}

const recordSent = (tx: Tx, call: Call, id: number) =>
  recordDeviceAudit(tx, call, { action: 'message.sent', deviceId: call.deviceId, detail: { id } });

/** A message must have content: text, or bytes in config. */
function requireContent(values: Sent<typeof message>): void {
  if (!values.message && !values.config) {
    throw invalidField('message', 'message', 'presence', "can't be blank: send message or config");
  }
}

/** Cancels waiting messages of users who may no longer manage the device. */
export const endUncoveredMessages: EndUncovered = async (tx, { userId, deviceId, isGivenAway }) => {
  let queued = tx
    .selectFrom('messages')
    .select(['id', 'userId', 'deviceId'])
    .where('state', '=', 'queued')
    .where('mobileTerminated', '=', 1)
    .where('userId', 'is not', null)
    .$narrowType<{ userId: number }>();
  if (userId !== undefined) queued = queued.where('userId', '=', userId);
  if (deviceId !== undefined) queued = queued.where('deviceId', '=', deviceId);
  const messages = await queued.execute();
  const ended = isGivenAway ? messages : await uncovered(tx, messages);
  for (const message of ended)
    await tx
      .updateTable('messages')
      .set({ state: 'failed', failure: 'Not sent: its sender may no longer manage the device.' })
      .where('deviceId', '=', message.deviceId)
      .where('id', '=', message.id)
      .where('state', '=', 'queued')
      .execute();
  return ended.length;
};

const LIFE_MS = 10 * 60_000;
const MAX_SECONDS = 30 * 86_400;

type Parameters = Readonly<Record<string, string | number | boolean>>;

interface NamedCommand {
  readonly name: Command;
  readonly parameters: Parameters;
  readonly force: boolean;
  readonly expires: number;
  /** A readable text. */
  readonly text: string;
}

interface SentCommand {
  readonly command?: Command | null;
  readonly parameters?: Readonly<Record<string, unknown>> | null;
  readonly force?: boolean | null;
  readonly expires?: string | null;
}

/** Validates a command and its parameters. */
function commandOf({ command, parameters, force, expires }: SentCommand, now: number): NamedCommand {
  const name = command!;
  const given = parametersOf(name, parameters ?? {});
  const until = expires === null || expires === undefined ? now + LIFE_MS : Date.parse(expires);
  if (until <= now) throw invalidField('command', 'expires', 'past', 'is in the past');
  const words = Object.entries(given).map(([key, value]) => `${key}=${value}`);
  return {
    name,
    parameters: { ...scalarsOf(parameters ?? {}), ...given },
    force: force === true,
    expires: until,
    text: [name, ...words].join(' '),
  };
}

function parametersOf(name: Command, { seconds, output, on }: Readonly<Record<string, unknown>>): Parameters {
  switch (name) {
    case 'interval':
      return { seconds: whole('seconds', seconds, MAX_SECONDS) };
    case 'output':
      return { output: output === undefined ? 1 : whole('output', output, 255), on: truth(on) };
    case 'alarmArm':
      return { on: on === undefined ? true : truth(on) };
    default:
      return {};
  }
}

const MAX_TEXT = 100;
const MOST_PARAMETERS = 20;

/** Some protocols need more parameters, such as a password. */
function scalarsOf(parameters: Readonly<Record<string, unknown>>): Parameters {
  const scalars = Object.entries(parameters).filter(
    (entry): entry is [string, string | number | boolean] =>
      typeof entry[1] === 'number' ||
      typeof entry[1] === 'boolean' ||
      (typeof entry[1] === 'string' && entry[1].length <= MAX_TEXT),
  );
  return Object.fromEntries(scalars.slice(0, MOST_PARAMETERS));
}

function whole(name: string, value: unknown, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw invalidField('command', 'parameters', 'range', `need ${name}, a whole number from 1 to ${max}`);
}

function truth(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw invalidField('command', 'parameters', 'type', 'need on, true or false');
}

/** Undefined if the device has not used a tracker protocol. */
async function supportedBy(store: Store, deviceId: number): Promise<readonly string[] | undefined> {
  const row = await findRow(store.query, 'devices', { id: deviceId }, ['supportedCommands']);
  return row?.supportedCommands ? (JSON.parse(row.supportedCommands) as string[]) : undefined;
}
