import { accept } from '@trackway/contract/accept.ts';
import { ERRORS } from '@trackway/contract/errors.ts';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { device, type TRACKER_PROBLEMS } from '@trackway/contract/resources/device.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import type { CallOf, KnownTracker, TrackerLink } from '../../calls.ts';
import { type IpAddress, isWithin, parseAddress, parseRange } from '../../platform/egress/ip.ts';
import { Refusal } from '../../platform/errors.ts';
import { fingerprint } from '../../platform/secrets.ts';
import { recordDeviceAudit } from '../audit/record.ts';
import type { Store } from '../schema/tables.ts';
import { deviceIdsByKey } from './device-keys.ts';

interface TrackerRow extends CommandRules {
  readonly id: number;
  readonly identityPending: number;
  readonly meta: string | null;
  readonly supportedCommands: string | null;
}

const WHAT = '"id", "identityPending", "meta", "supportedCommands", "commandProtocols", "commandsFrom"';
/** More names than this no protocol gives. */
const MOST_NAMES = 4;

/** Finds the tracker that speaks, and notes what can be said to it. */
export function knownTrackers(store: Store) {
  const ids = deviceIdsByKey(store);
  const known = store.prepare<TrackerRow>(
    'trackers.known',
    `SELECT ${WHAT} FROM "devices" WHERE "id" = ? AND "deletedAt" IS NULL`,
  );
  const keyless = store.prepare<TrackerRow>(
    'trackers.keyless',
    `SELECT ${WHAT} FROM "devices" WHERE "id" = ? AND "deletedAt" IS NULL AND "allowKeyless" = 1`,
  );

  async function named(names: readonly string[]): Promise<(TrackerRow & { identifier: string }) | undefined> {
    for (const name of names.slice(0, MOST_NAMES)) {
      if (name === '' || name.includes('\0') || !name.isWellFormed()) continue;
      for (const find of [ids.imei, ids.serial]) {
        const id = await find(name);
        const row = id === undefined ? undefined : await keyless.get(id);
        if (row !== undefined) return { ...row, identifier: name };
      }
    }
    return undefined;
  }

  async function holding(keyHash: string): Promise<TrackerRow | undefined> {
    const id = await ids.keyHash(keyHash);
    return id === undefined ? undefined : known.get(id);
  }

  async function noteChannel(row: TrackerRow, link: TrackerLink, commands: readonly string[]): Promise<void> {
    const isFirst = row.commandProtocols === null;
    if (!isFirst && isSame(row.supportedCommands, commands)) return;
    await store.query
      .updateTable('devices')
      .set({
        supportedCommands: JSON.stringify(commands),
        ...(isFirst && { commandProtocols: JSON.stringify([wayOf(link)]) }),
      })
      .where('id', '=', row.id)
      .execute();
  }

  return async (
    names: readonly string[],
    key: string | undefined,
    link: TrackerLink,
    commands: readonly string[],
  ): Promise<KnownTracker | undefined> => {
    const keyHash = key === undefined ? undefined : fingerprint(key);
    const ofKey = keyHash === undefined ? undefined : await holding(keyHash);
    const ofName = ofKey ? undefined : await named(names);
    const row = ofKey ?? ofName;
    if (row === undefined) return undefined;
    const refusal = commandRefusal(row, link, ofKey !== undefined);
    if (refusal === undefined) await noteChannel(row, link, commands);
    return {
      deviceId: row.id,
      ...(ofKey && { keyHash }),
      ...(ofName?.identityPending === 0 && { identifier: ofName.identifier }),
      ...(refusal !== undefined && { commandRefusal: refusal }),
      ...settingsIn(row.meta),
    };
  };
}

function isSame(stored: string | null, commands: readonly string[]): boolean {
  if (stored === null) return false;
  const known = JSON.parse(stored) as string[];
  return known.length === commands.length && known.every((name, index) => name === commands[index]);
}

/** What a decoder must know, from the custom data of a device. */
export function settingsIn(meta: string | null): Pick<KnownTracker, 'timeZone' | 'model'> {
  if (meta === null || !/"(timeZone|model)"/.test(meta)) return {};
  const { timeZone, model } = JSON.parse(meta) as { timeZone?: unknown; model?: unknown };
  return { ...(typeof timeZone === 'string' && { timeZone }), ...(typeof model === 'string' && { model }) };
}

const IMEI = /^\d{15}$/;
const SHOWN_DIGITS = 6;

type Added = Pick<Shown<typeof device>, 'id' | 'identityPending'>;

/** Adds devices that report by their identifier alone, one by one: what is wrong with one does not concern the others. */
export async function addTrackers(
  store: Store,
  call: CallOf<'addTrackers'>,
  create: (values: Readonly<Record<string, unknown>>) => Promise<Added>,
): Promise<AnswerOf<'addTrackers'>> {
  const { identifiers, name, type, model } = call.body;
  const wanted = [...new Set(identifiers!.map((one) => one.trim()))].filter((one) => one !== '');
  const added: AnswerOf<'addTrackers'> = [];
  for (const identifier of wanted) {
    try {
      const { id, identityPending } = (await allowOwn(store, call, identifier)) ?? (await make(identifier));
      added.push({ identifier, deviceId: id, problem: null, problemCode: null, identityPending });
    } catch (error) {
      const problemCode = problemCodeOf(error);
      if (problemCode === undefined) throw error;
      const { message: problem } = error as Refusal;
      added.push({ identifier, deviceId: null, problem, problemCode, identityPending: false });
    }
  }
  return added;

  async function make(identifier: string): Promise<Added> {
    const named = IMEI.test(identifier) ? { imei: identifier } : { serial: identifier };
    const { values } = accept(device, 'create', {
      ...named,
      name: `${name || 'Tracker'} ${identifier.slice(-SHOWN_DIGITS)}`,
      ...(type && { type }),
      ...(model && { meta: { model } }),
      allowKeyless: true,
    });
    return create(values);
  }
}

/** Undefined for errors that are not about one identifier. */
function problemCodeOf(error: unknown): (typeof TRACKER_PROBLEMS)[number] | undefined {
  if (!(error instanceof Refusal)) return undefined;
  if (error.code === ERRORS.quotaExceeded.code) return 'QUOTA_EXCEEDED';
  const { codes = {} } = (error.details ?? {}) as { codes?: Record<string, readonly string[]> };
  return Object.values(codes).flat().includes('uniqueness') ? 'IN_USE' : undefined;
}

/** The device of the caller that has the identifier may report by it; undefined where there is none. */
async function allowOwn(store: Store, call: CallOf<'addTrackers'>, identifier: string): Promise<Added | undefined> {
  const own = await store.query
    .selectFrom('devices')
    .select(['id', 'allowKeyless', 'identityPending'])
    .where('ownerId', '=', call.caller.userId)
    .where('deletedAt', 'is', null)
    .where((on) => on.or([on('imei', '=', identifier), on('serial', '=', identifier)]))
    .executeTakeFirst();
  if (own?.allowKeyless === 0)
    await store.transaction(async (tx) => {
      await tx.updateTable('devices').set({ allowKeyless: 1 }).where('id', '=', own.id).execute();
      await recordDeviceAudit(tx, call, { action: 'device.updated', deviceId: own.id, detail: { allowKeyless: true } });
    });
  return own && { id: own.id, identityPending: own.identityPending === 1 };
}

/** What decides whether a connection of a device may receive its commands. */
export interface CommandRules {
  readonly commandProtocols: string | null;
  readonly commandsFrom: string | null;
}

/** An item of `commandsFrom` for connections that send the key of the device. */
const KEY = 'key';

const wayOf = ({ protocol, transport }: TrackerLink) => `${protocol} ${transport}`;

/** Whether an item of `commandsFrom` is a network or the word for the key. */
export const isCommandSource = (text: string) => text === KEY || parseRange(text) !== undefined;

/**
 * Why a connection receives no commands; undefined where it may. An identity is no secret, so a protocol that the
 * device has not used before may be used by an attacker; and the sender of a datagram can be forged, so UDP is not
 * accepted for a device that used TCP.
 */
export function commandRefusal(
  { commandProtocols, commandsFrom }: CommandRules,
  link: TrackerLink,
  hasKey: boolean,
): string | undefined {
  const sources = commandsFrom === null ? [] : (JSON.parse(commandsFrom) as string[]);
  if (sources.length > 0 && !sources.some((source) => (source === KEY ? hasKey : isFrom(source, link.address))))
    return 'Held: the device is connected from a network that is not allowed for its commands.';
  if (hasKey || commandProtocols === null) return undefined;
  const ways = JSON.parse(commandProtocols) as string[];
  if (ways.includes(wayOf(link)) || (link.transport === 'tcp' && ways.includes(`${link.protocol} udp`)))
    return undefined;
  return `Held: the device is connected by ${link.protocol} over ${link.transport.toUpperCase()}, which it has not used before. Release its command channel if this is the device.`;
}

function isFrom(network: string, text: string): boolean {
  const range = parseRange(network);
  const address = parseAddress(text);
  return range !== undefined && address !== undefined && isWithin(asIPv4(address), range);
}

/** IPv4 in the form of IPv6 is IPv4. */
const asIPv4 = (address: IpAddress): IpAddress =>
  address.length === 16 && address.slice(0, 12).join() === '0,0,0,0,0,0,0,0,0,0,255,255' ? address.slice(12) : address;
