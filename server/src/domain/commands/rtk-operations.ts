import { randomInt } from 'node:crypto';
import {
  type rtkOperations as contract,
  type NtripSettings,
  type RtkBase,
  type RtkStatus,
  rtkCommand,
  rtkLog,
} from '@trackway/contract/resources/commands/rtk.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import type { Call, Handlers } from '../../calls.ts';
import { fingerprint } from '../../platform/secrets.ts';
import { presentRow } from '../../platform/storage/shape.ts';
import type { Vault } from '../../platform/vault.ts';
import { childNotFound, invalidField } from '../../refusals.ts';
import type { ReportedMessage, ReportedRtk } from '../../reports.ts';
import { findRow } from '../rows.ts';
import { lockDevices } from '../schema/lock-device.ts';
import type { RtkStateRow } from '../schema/rows/device-rows.ts';
import { shapeOf } from '../schema/shape.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { type Quotas, UNLIMITED } from '../users/quotas.ts';
import { ntripPasswordContext } from './pending.ts';
import { messageQueue } from './queue-message.ts';

const COMMAND_TYPES = {
  updateRateMs: 1,
  alertNow: 2,
  alertWithPrompt: 3,
  rebootRtk: 4,
  setPointBufferSize: 5,
} as const;
type CommandName = keyof typeof COMMAND_TYPES;

const RECENT_LOGS = 100;
const FASTEST_MS = 100;
const UINT32 = 4_294_967_295;

type Parameters = Readonly<Record<string, string | number | null | undefined>>;
type BaseSent = { online?: boolean | null; lat?: number | null; lng?: number | null; alt?: number | null };

/** Commands to RTK receivers, and their status. */
export function rtkOperations(store: Store, vault: Vault, quotas: Quotas = UNLIMITED): Handlers<keyof typeof contract> {
  const commands = collectionOf(store, 'rtkCommands', rtkCommand);
  const logShape = shapeOf(rtkLog);
  const queue = messageQueue(quotas);

  /** Runs for a device with a receiver; rejects others. Concurrent commands wait. */
  const commanding = <T>({ deviceId }: Call, run: (tx: Tx) => Promise<T>): Promise<T> =>
    store.transaction(async (tx) => {
      const [device] = await lockDevices(tx, [deviceId]);
      const isMarked = device?.meta ? (JSON.parse(device.meta) as { rtk?: unknown }).rtk === true : false;
      if (!isMarked && (await readStatus(tx, deviceId)) === undefined) throw unsupported();
      return run(tx);
    });

  function send(call: Call, name: CommandName, given: Parameters): Promise<Shown<typeof rtkCommand>> {
    const { deviceId, now } = call;
    return commanding(call, async (tx) => {
      const messageId = await newMessageId(tx, deviceId);
      const set = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
      const payload = base64(JSON.stringify({ ...Object.fromEntries(set), messageId }));
      const words = set.map(([, value]) => (typeof value === 'string' ? JSON.stringify(value) : value));
      const values = { deviceId, messageId, commandType: COMMAND_TYPES[name], created: now, payload };
      const row = await commands.insert(values, tx);
      const message = ['rtk', name, ...words].join(' ');
      const reported = await queue.add(tx, call, { message, config: payload });
      await tx
        .updateTable('rtkCommands')
        .set({ queuedMessageId: reported.id })
        .where('id', '=', row.id as number)
        .execute();
      await queue.announce(tx, reported, now);
      return commands.present(row);
    });
  }

  function sendRate(call: Call, { intervalMs }: { intervalMs?: number | null }) {
    if (intervalMs! > 0 && intervalMs! < FASTEST_MS)
      throw invalidField('iRtkCommand', 'intervalMs', 'range', `must be 0 or at least ${FASTEST_MS}`);
    return send(call, 'updateRateMs', { intervalMs });
  }

  const setBase = (call: Call, { online, lat, lng, alt }: BaseSent): Promise<RtkBase> => {
    if (online)
      for (const [field, value] of Object.entries({ lat, lng, alt }))
        if (typeof value !== 'number')
          throw invalidField('iRtkBase', field, 'presence', "can't be blank: it is online");
    return commanding(call, async (tx) => {
      const { deviceId, now } = call;
      const known = await findRow(tx, 'rtkStates', { deviceId }, ['base']);
      const before = known?.base ? (JSON.parse(known.base) as Partial<RtkBase>) : {};
      const change: Partial<RtkBase> = online
        ? {
            status: 'online_fixed',
            fixedPositionLat: lat!,
            fixedPositionLng: lng!,
            fixedPositionAlt: alt!,
            location: { lat: lat!, lng: lng! },
            connected: new Date(now).toISOString(),
            valid: true,
          }
        : { status: 'offline' };
      const base = { ...UNKNOWN_BASE, ...before, ...change, deviceId };
      await setRtkState(tx, deviceId, { base: JSON.stringify(base) });
      return base;
    });
  };

  const setNtrip = (call: Call, { password, ...settings }: NtripSettings): Promise<string> =>
    commanding(call, async (tx) => {
      const { deviceId, now } = call;
      const before = await findRow(tx, 'rtkStates', { deviceId }, ['ntripMessageId']);
      // Replaces settings that the device has not received yet.
      if (before?.ntripMessageId) await queue.takeBack(tx, deviceId, before.ntripMessageId);
      const { hostname, portNum, mountpoint } = settings;
      // The password is inserted when the message is sent to the device, so that it cannot be read elsewhere.
      const config = base64(JSON.stringify({ ...settings, password: null }));
      const message = `rtk ntrip ${hostname}:${portNum}/${mountpoint}`;
      const reported = await queue.add(tx, call, { message, config });
      await setRtkState(tx, deviceId, {
        ntrip: JSON.stringify(settings),
        ntripPassword: password ? vault.seal(password, ntripPasswordContext(deviceId)) : null,
        ntripMessageId: reported.id,
      });
      await queue.announce(tx, reported, now);
      return 'ok';
    });

  const { updateRtkBaseStatus, updateRtkBaseStatusByPost } = {
    updateRtkBaseStatus: (call: Call<unknown, BaseSent>) => setBase(call, call.parameters),
    updateRtkBaseStatusByPost: (call: Call<BaseSent>) => setBase(call, call.body),
  };

  return {
    async getRtkStatus({ deviceId }) {
      return { ...UNKNOWN_STATUS, ...(await readStatus(store.query, deviceId)), deviceId };
    },

    async getRecentRtkLogs({ deviceId }) {
      const rows = await store.query
        .selectFrom('rtkLogs')
        .selectAll()
        .where('deviceId', '=', deviceId)
        .orderBy('id', 'desc')
        .limit(RECENT_LOGS)
        .execute();
      return rows.map((row) => presentRow(logShape, { ...row }));
    },

    async getRtkCommand({ deviceId, parameters }) {
      const messageId = parameters.messageId!;
      const row = await store.query
        .selectFrom('rtkCommands')
        .selectAll()
        .where('deviceId', '=', deviceId)
        .where('messageId', '=', messageId)
        .executeTakeFirst();
      if (row === undefined) throw childNotFound('rtkCommand', messageId);
      return commands.present({ ...row });
    },

    queueRtkUpdateRate: (call) => sendRate(call, call.parameters),
    queueRtkUpdateRateByPost: (call) => sendRate(call, call.body),
    queueRtkAlert: (call) => send(call, 'alertNow', call.parameters),
    queueRtkAlertByPost: (call) => send(call, 'alertNow', call.body),
    queueRtkPrompt: (call) =>
      send(call, 'alertWithPrompt', { ...call.parameters, timeoutS: call.parameters.timeoutS ?? 0 }),
    queueRtkPromptByPost: (call) => send(call, 'alertWithPrompt', call.body),
    queueRtkReboot: (call) => send(call, 'rebootRtk', {}),
    queueRtkRebootByPost: (call) => send(call, 'rebootRtk', {}),
    queueRtkBufferSize: (call) => send(call, 'setPointBufferSize', call.parameters),
    queueRtkBufferSizeByPost: (call) => send(call, 'setPointBufferSize', call.body),
    updateRtkBaseStatus,
    updateRtkBaseStatusByPost,
    setNtripSettings: (call) => setNtrip(call, call.parameters.settings!),
    setNtripSettingsByPost: (call) => setNtrip(call, call.body.settings!),
  };
}

const UNKNOWN_STATUS = {
  group: null,
  msgMask: null,
  connected: null,
  locationUpdated: null,
  location: null,
  accuracy: null,
  positionType: 'invalid' as const,
  currentBaseId: null,
};

const UNKNOWN_BASE = {
  type: null,
  group: null,
  connected: null,
  surveyCompleted: null,
  location: null,
  accuracy: null,
  status: 'offline' as const,
  fixedPositionLat: null,
  fixedPositionLng: null,
  fixedPositionAlt: null,
  surveyTime: null,
  surveyMinAcc: null,
  surveyRequested: null,
  valid: false,
};

const unsupported = () =>
  invalidField(
    'rtk',
    'deviceId',
    'unsupported',
    'this device has not said that it has an RTK receiver; set meta.rtk to send it all the same',
  );

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');

/** A random number that is unique among the commands of the device. */
async function newMessageId(tx: Tx, deviceId: number): Promise<number> {
  for (;;) {
    const messageId = randomInt(1, UINT32 + 1);
    const taken = await findRow(tx, 'rtkCommands', { deviceId, messageId }, ['id']);
    if (taken === undefined) return messageId;
  }
}

/** Maximum number of stored log lines per device. */
const KEPT_LINES = 1000;

/** Stores the receiver's part of a report: its status, log lines, replies to commands. */
export function rtkReceiver(store: Store) {
  return {
    /** The status is merged: fields that a report does not contain stay. */
    async onReport(deviceId: number, { log, ...said }: ReportedRtk, now: number): Promise<void> {
      const at = new Date(now).toISOString();
      await store.transaction(async (tx) => {
        const status: Partial<RtkStatus> = {
          ...(await readStatus(tx, deviceId)),
          ...said,
          connected: at,
          ...(said.location && { locationUpdated: at }),
        };
        await setRtkState(tx, deviceId, { status: JSON.stringify(status) });
        if (log.length === 0) return;
        const lines = log.slice(-KEPT_LINES).map(({ timestamp, ...line }) => ({
          ...line,
          deviceId,
          timestamp: timestamp ?? now,
          hash: timestamp === undefined ? null : fingerprint(JSON.stringify([timestamp, line])),
        }));
        for (let start = 0; start < lines.length; start += AT_ONCE)
          await tx
            .insertInto('rtkLogs')
            .values(lines.slice(start, start + AT_ONCE))
            .onConflict((on) => on.doNothing())
            .execute();
        const oldest = await tx
          .selectFrom('rtkLogs')
          .select('id')
          .where('deviceId', '=', deviceId)
          .orderBy('id', 'desc')
          .offset(KEPT_LINES)
          .limit(1)
          .executeTakeFirst();
        if (oldest)
          await tx.deleteFrom('rtkLogs').where('deviceId', '=', deviceId).where('id', '<=', oldest.id).execute();
      });
    },

    /** A message whose JSON contains a command is its reply. */
    async answered(deviceId: number, messages: readonly ReportedMessage[]): Promise<void> {
      for (const { message } of messages) {
        const messageId = message === undefined ? undefined : commandNamed(message);
        if (messageId === undefined) continue;
        await store.query
          .updateTable('rtkCommands')
          .set({ response: Buffer.from(message!, 'utf8').toString('base64') })
          .where('deviceId', '=', deviceId)
          .where('messageId', '=', messageId)
          .execute();
      }
    },
  };
}

const AT_ONCE = 100;
const MOST_ANSWER = 65_536;

function commandNamed(text: string): number | undefined {
  if (text.length > MOST_ANSWER || !text.startsWith('{') || !text.includes('"messageId"')) return undefined;
  try {
    const { messageId } = JSON.parse(text) as { messageId?: unknown };
    return typeof messageId === 'number' && Number.isSafeInteger(messageId) ? messageId : undefined;
  } catch {
    return undefined;
  }
}

/** The reported status of a receiver; undefined if there is none yet. */
async function readStatus(on: Tx, deviceId: number): Promise<Partial<RtkStatus> | undefined> {
  const known = await findRow(on, 'rtkStates', { deviceId }, ['status']);
  return known?.status ? (JSON.parse(known.status) as Partial<RtkStatus>) : undefined;
}

async function setRtkState(tx: Tx, deviceId: number, values: Partial<Omit<RtkStateRow, 'deviceId'>>): Promise<void> {
  await tx
    .insertInto('rtkStates')
    .values({ deviceId, ...values })
    .onConflict((on) => on.column('deviceId').doUpdateSet(values))
    .execute();
}
