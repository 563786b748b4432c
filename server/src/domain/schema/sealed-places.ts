import { isSealedContent, sealContent, sealedContext } from '../../platform/outbox/channel.ts';

/** Opens and seals a text again, for its place. */
type Reseal = (text: string, context: string) => string;

/** Where the database keeps secrets that it must give back in full. A new one adds its line here. */
export interface SealedPlace {
  readonly name: string;
  readonly table: string;
  /** The key of a row, which determines the order of reading. */
  readonly key: 'id' | 'userId' | 'deviceId' | 'name';
  /** The column that the context names. */
  readonly about: string;
  readonly column: string;
  readonly condition?: { readonly column: string; readonly value: string };
  /** The value of a cell with its secret sealed by `reseal`. */
  reseal(value: string, reseal: Reseal, about: number | string): string;
  /** The replacement of a lost secret. */
  readonly without: string | null;
}

/** A column of text is encrypted unchanged. */
const text = (context: (about: number | string) => string) => (value: string, reseal: Reseal, about: number | string) =>
  reseal(value, context(about));

/** A column of JSON is a JSON text once it is sealed. */
const json =
  (context: (about: number | string) => string) => (value: string, reseal: Reseal, about: number | string) => {
    const stored = JSON.parse(value) as unknown;
    const plain = typeof stored === 'string' ? stored : JSON.stringify(stored);
    // A destination whose first secret was not needed yet.
    return plain === '[]' ? value : JSON.stringify(reseal(plain, context(about)));
  };

/** The setting with the key for signing records of erasures. */
export const ERASURE_KEY = 'erasureKey';

/** The setting with what admins entered for channels. */
export const CHANNEL_VALUES = 'channelValues';

export const SEALED_PLACES: readonly SealedPlace[] = [
  {
    name: 'deviceSecrets',
    table: 'devices',
    key: 'id',
    about: 'id',
    column: 'secret',
    reseal: text((id) => `devices.secret:${id}`),
    without: null,
  },
  {
    name: 'ntripPasswords',
    table: 'rtkStates',
    key: 'deviceId',
    about: 'deviceId',
    column: 'ntripPassword',
    reseal: text((deviceId) => `rtkStates.ntripPassword:${deviceId}`),
    // A user who manages the device sets it again.
    without: null,
  },
  {
    name: 'authenticators',
    table: 'authenticators',
    key: 'userId',
    about: 'userId',
    column: 'secret',
    reseal: text((userId) => `authenticators.secret:${userId}`),
    // No code fits an empty secret; an admin removes the second factor, and the user sets up a new one.
    without: '',
  },
  {
    name: 'webhookSecrets',
    table: 'destinations',
    key: 'id',
    about: 'id',
    column: 'secrets',
    reseal: json((id) => `destinations.secrets:${id}`),
    // The next message makes a new one.
    without: '[]',
  },
  {
    name: 'browserKeys',
    table: 'pushSubscriptions',
    key: 'id',
    about: 'endpoint',
    column: 'keys',
    reseal: json((endpoint) => `pushSubscriptions.keys:${endpoint}`),
    // Nothing can be encrypted for the browser; it must subscribe again.
    without: '{}',
  },
  {
    name: 'browserAddresses',
    table: 'outbox',
    key: 'id',
    about: 'id',
    column: 'address',
    condition: { column: 'channel', value: 'push' },
    reseal(value, reseal) {
      const { endpoint, keys } = JSON.parse(value) as { endpoint: string; keys: string | object };
      const plain = typeof keys === 'string' ? keys : JSON.stringify(keys);
      return JSON.stringify({ endpoint, keys: reseal(plain, `pushSubscriptions.keys:${endpoint}`) });
    },
    without: null,
  },
  {
    name: 'accountMails',
    table: 'outbox',
    key: 'id',
    about: 'messageId',
    column: 'content',
    condition: { column: 'what', value: 'account' },
    reseal(value, reseal, messageId) {
      const content = JSON.parse(value) as { type?: string; text?: string };
      // It was sent, and what it said is erased.
      if (content.type === undefined || content.text === undefined) return value;
      const { type, text } = content as { type: string; text: string };
      if (!isSealedContent({ type }))
        return JSON.stringify(sealContent(reseal, String(messageId), { ...content, type, text }));
      return JSON.stringify({ type, text: reseal(text, sealedContext(String(messageId))) });
    },
    // It cannot be read any more: the recipient must request another one.
    without: '{}',
  },
  {
    name: 'pushServerKey',
    table: 'settings',
    key: 'name',
    about: 'name',
    column: 'value',
    condition: { column: 'name', value: 'vapidKeys' },
    reseal: text((name) => `settings:${name}`),
    without: '',
  },
  ...['acmeAccount', 'acmeCertificate'].map(
    (name): SealedPlace => ({
      name,
      table: 'settings',
      key: 'name',
      about: 'name',
      column: 'value',
      condition: { column: 'name', value: name },
      reseal: text((about) => `settings:${about}`),
      // A new one is obtained.
      without: '',
    }),
  ),
  {
    name: 'channelValues',
    table: 'settings',
    key: 'name',
    about: 'name',
    column: 'value',
    condition: { column: 'name', value: CHANNEL_VALUES },
    reseal: text((name) => `settings:${name}`),
    // Admins enter them again.
    without: '',
  },
  {
    name: 'erasureKey',
    table: 'settings',
    key: 'name',
    about: 'name',
    column: 'value',
    condition: { column: 'name', value: ERASURE_KEY },
    reseal: text((name) => `settings:${name}`),
    // The next erasure makes a new one; older records stay unchanged.
    without: '',
  },
];
