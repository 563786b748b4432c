import type { ChannelSetupShown } from '@trackway/contract/resources/service/channels.ts';
import {
  CHANNEL_FIELDS,
  fieldsOf,
  SET_UP_CHANNELS,
  type SetUpChannel,
} from '@trackway/contract/wording/channel-fields.ts';
import type { Handlers } from '../../calls.ts';
import type { SendOutcome } from '../../platform/outbox/channel.ts';
import { environmentName } from '../../platform/settings.ts';
import { CannotOpen, type Vault } from '../../platform/vault.ts';
import { invalidField } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import { getRow } from '../rows.ts';
import { installationText } from '../schema/installation-lease.ts';
import { CHANNEL_VALUES } from '../schema/sealed-places.ts';
import type { Store } from '../schema/tables.ts';

/** What admins entered for the channels of the server. The values of all channels are one encrypted text. */

type Values = Readonly<Record<string, string>>;

export interface ChannelValues {
  current(): Values;
  /** Reads the stored values, which another node may have changed. */
  follow(): Promise<void>;
}

const CONTEXT = `settings:${CHANNEL_VALUES}`;
const MOST_CHARACTERS = 2000;

export function channelValues(store: Store, vault: Vault): ChannelValues {
  const stored = installationText(store, CHANNEL_VALUES);
  let text = '';
  let values: Values = {};
  return {
    current: () => values,
    async follow() {
      const now = (await stored.load()) ?? '';
      if (now === text) return;
      values = opened(vault, now);
      text = now;
    },
  };
}

/** Values that cannot be decrypted, because the key was lost, must be entered again. */
function opened(vault: Vault, text: string): Values {
  try {
    return text === '' ? {} : (JSON.parse(vault.open(text, CONTEXT)) as Values);
  } catch (error) {
    if (error instanceof CannotOpen) return {};
    throw error;
  }
}

/** The value of a setting that admins entered; empty if they entered none. */
export function enteredSetting(values: Values, setting: string): string {
  if (setting === 'smtpUrl') return withAccount(values.smtpServer, values.smtpUser, values.smtpPassword);
  if (setting === 'mqttUrl') return withAccount(values.mqttServer, values.mqttUser, values.mqttPassword);
  return values[setting] ?? '';
}

function withAccount(server = '', user = '', password = ''): string {
  if (server === '' || user === '') return server;
  const url = new URL(server);
  url.username = encodeURIComponent(user);
  url.password = encodeURIComponent(password);
  return url.href;
}

export interface ChannelSetupParts {
  readonly vault: Vault;
  readonly values: ChannelValues;
  /** Whether the operator has set a setting, which comes first. */
  readonly isFixed: (setting: string) => boolean;
  /** What is missing before a channel can send. */
  readonly missing: (channel: SetUpChannel) => string | null;
  /** Returns why a host must not be called; undefined if it may be. */
  readonly checkHost: (host: string) => Promise<string | undefined>;
  readonly sendTest: (channel: SetUpChannel, target: string, address: string | null) => Promise<SendOutcome>;
  /** Called after a change, so that waiting messages are sent. */
  readonly changed: () => void;
}

export function channelSetupOperations(
  store: Store,
  { vault, values, isFixed, missing, checkHost, sendTest, changed }: ChannelSetupParts,
): Handlers<'listChannels' | 'setUpChannel' | 'testChannel'> {
  const shown = (): ChannelSetupShown[] =>
    SET_UP_CHANNELS.map((channel) => ({
      channel,
      missing: missing(channel),
      fields: Object.entries(fieldsOf(channel)).map(([name, { setting, isSecret }]) => {
        const fixedBy = isFixed(setting) ? environmentName(setting) : null;
        const entered = values.current()[name] ?? null;
        const isHidden = fixedBy !== null || isSecret === true;
        return { name, value: isHidden ? null : entered, isSet: fixedBy !== null || entered !== null, fixedBy };
      }),
    }));

  async function requireValue(channel: SetUpChannel, name: string, value: unknown): Promise<void> {
    const wrong = (message: string) => invalidField('channelSetup', 'values', 'format', message);
    const field = Object.hasOwn(CHANNEL_FIELDS[channel], name) ? fieldsOf(channel)[name] : undefined;
    if (field === undefined) throw wrong(`has a field that ${channel} does not have: ${name}`);
    if (isFixed(field.setting)) throw wrong(`has ${name}, which ${environmentName(field.setting)} sets`);
    if (value === null) return;
    if (typeof value !== 'string' || value === '' || value.length > MOST_CHARACTERS || /\p{Cc}/u.test(value))
      throw wrong(`has a ${name} that is not a text of 1 to ${MOST_CHARACTERS} characters in one line`);
    if (field.pattern && !field.pattern.test(value)) throw wrong(`has a ${name} that is not like ${field.example}`);
    if (field.protocols === undefined) return;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url === undefined || !field.protocols.includes(url.protocol) || url.hostname === '' || url.username !== '')
      throw wrong(`has a ${name} that is not an address like ${field.example}`);
    const forbidden = await checkHost(url.hostname);
    if (forbidden !== undefined) throw wrong(`has a ${name} that ${forbidden}`);
  }

  return {
    async listChannels() {
      await values.follow();
      return shown();
    },

    async setUpChannel(call) {
      const channel = call.body.channel!;
      const sent = Object.entries(call.body.values as Record<string, unknown>);
      for (const [name, value] of sent) await requireValue(channel, name, value);
      await store.transaction(async (tx) => {
        const stored = installationText({ query: tx }, CHANNEL_VALUES);
        const after = Object.entries({ ...opened(vault, (await stored.load()) ?? ''), ...Object.fromEntries(sent) });
        const kept = Object.fromEntries(after.filter(([, value]) => value !== null));
        await stored.save(vault.seal(JSON.stringify(kept), CONTEXT));
        const detail = { channel, fields: sent.map(([name]) => name) };
        await recordAudit(tx, { action: 'channel.changed', ...byCaller(call), detail }, call.now);
      });
      await values.follow();
      changed();
      return shown();
    },

    async testChannel({ caller, body }) {
      await values.follow();
      const [channel, given] = [body.channel!, body.address?.trim() ?? ''];
      const { email } = await getRow(store.query, 'users', { id: caller.userId }, ['email']);
      const address = { email, mqtt: `users/${caller.userId}/test`, telegram: null, sqs: null }[channel];
      if (address === null && given === '') throw invalidField('channelTest', 'address', 'presence', "can't be blank");
      // The address of a name may have changed since it was saved.
      for (const [name, { protocols }] of Object.entries(fieldsOf(channel))) {
        const entered = protocols && values.current()[name];
        const forbidden = entered && (await checkHost(new URL(entered).hostname));
        if (forbidden) return { isSent: false, reason: `The address ${forbidden}.` };
      }
      const outcome = await sendTest(channel, given, address);
      return outcome.kind === 'sent' ? { isSent: true, reason: null } : { isSent: false, reason: outcome.reason };
    },
  };
}
