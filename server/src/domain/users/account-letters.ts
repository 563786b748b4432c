import { CHANNELS } from '@trackway/contract/channels.ts';
import { messagesIn } from '@trackway/contract/messages/messages.ts';
import type { Language } from '@trackway/contract/wording/languages.ts';
import { Refusal } from '../../platform/errors.ts';
import { type Quotes, quotedName } from '../../platform/harmless-text.ts';
import { type Content, sealContent } from '../../platform/outbox/channel.ts';
import { post } from '../../platform/outbox/post.ts';
import type { Vault } from '../../platform/vault.ts';
import { findRow } from '../rows.ts';
import type { Tx } from '../schema/tables.ts';

/** What is mailed about accounts. Names that users chose are quoted; nothing else in these texts is theirs. */

interface LetterText {
  readonly subject: string;
  readonly lines: readonly string[];
  readonly link?: { readonly label: string; readonly address: string };
  /** After the link. */
  readonly after?: readonly string[];
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
const paragraph = (text: string) => `<p>${escaped(text)}</p>`;

function letter(language: Language, { subject, lines, link, after = [] }: LetterText): Content {
  const text = [...lines, ...(link ? [`${link.label}: ${link.address}`] : []), ...after];
  const html = [
    ...lines.map(paragraph),
    ...(link ? [`<p><a href="${escaped(link.address)}">${escaped(link.label)}</a></p>`] : []),
    ...after.map(paragraph),
  ];
  return {
    type: 'text/plain',
    subject,
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html><html lang="${language}"><head><meta charset="utf-8"></head><body>${html.join('')}</body></html>`,
  };
}

/** What is shared, by the name that people give it. */
export type SharedThing =
  | { readonly device: string; readonly rights: 'view' | 'manage' }
  | { readonly groupOfDevices: string; readonly rights: 'view' | 'manage' }
  | { readonly listOfGeofences: string };

interface Shared {
  /** The address of the sharing user. */
  readonly from: string;
  readonly thing: SharedThing;
}

/** The letters about accounts, in the language of the recipient. */
export function accountLetters(language: Language) {
  const { accountMail: texts, letters } = messagesIn(language);
  const quoted = (name: string) => quotedName(name, letters.quotes as Quotes);
  const { notYou, notExpected, twoDays, sevenDays } = texts;

  const kindOf = (thing: SharedThing) => ('device' in thing ? 'device' : 'groupOfDevices' in thing ? 'group' : 'list');

  function sharedLine({ from, thing }: Shared): string {
    const { line, rights } = texts.shared;
    if ('device' in thing) return `${line.device({ from, name: quoted(thing.device) })} ${rights.device[thing.rights]}`;
    if ('groupOfDevices' in thing)
      return `${line.group({ from, name: quoted(thing.groupOfDevices) })} ${rights.group[thing.rights]}`;
    return line.list({ from, name: quoted(thing.listOfGeofences) });
  }

  return {
    confirm(link: string) {
      const { subject, line, link: label } = texts.confirm;
      return letter(language, { subject, lines: [line], link: { label, address: link }, after: [twoDays, notYou] });
    },

    changed(newEmail: string) {
      const { subject, line, notYou: alarmed } = texts.changed;
      return letter(language, { subject, lines: [line({ newEmail }), alarmed] });
    },

    reset(link: string) {
      const { subject, line, link: label, after } = texts.reset;
      return letter(language, { subject, lines: [line], link: { label, address: link }, after: [after, notYou] });
    },

    passwordChanged() {
      const { subject, line, notYou: alarmed } = texts.passwordChanged;
      return letter(language, { subject, lines: [line, alarmed] });
    },

    secondFactorReset() {
      const { subject, line, next } = texts.factorReset;
      return letter(language, { subject, lines: [line, next] });
    },

    invitation(from: string | undefined, link: string) {
      const { subject, line, link: label } = texts.invitation;
      const after = [sevenDays, notExpected];
      return letter(language, { subject, lines: [line({ from })], link: { label, address: link }, after });
    },

    /** To a person with an account. */
    shared(shared: Shared, link: string) {
      const { subject, open, leave } = texts.shared;
      const kind = kindOf(shared.thing);
      return letter(language, {
        subject: subject[kind],
        lines: [sharedLine(shared)],
        link: { label: open, address: link },
        after: [leave[kind]],
      });
    },

    /** To a person without an account. Without a link an admin has to create the account. */
    sharedInvitation(shared: Shared, link: string | undefined) {
      const { subject, join, wait } = texts.shared;
      return letter(language, {
        subject: subject[kindOf(shared.thing)],
        lines: [sharedLine(shared)],
        ...(link && { link: { label: join, address: link } }),
        after: link ? [sevenDays, notExpected] : [wait],
      });
    },

    contested({ device, from }: { readonly device: string; readonly from: string }, link: string) {
      const { subject, line, next } = texts.contested;
      const lines = [line({ device: quoted(device), from }), next];
      return letter(language, { subject, lines, link: { label: texts.shared.open, address: link } });
    },

    recipient(from: string, link: string) {
      const { subject, line, link: label, after } = texts.recipient;
      return letter(language, { subject, lines: [line({ from })], link: { label, address: link }, after: [after] });
    },
  };
}

/** In the language of a user; in English if none was chosen. */
export async function lettersTo(tx: Tx, userId: number) {
  const user = await findRow(tx, 'users', { id: userId }, ['language']);
  return accountLetters(user?.language ?? 'en');
}

/** What is needed to send mail about accounts. */
export interface AccountMailer {
  /** A sentence about why no mail with a link can be sent; undefined where it can. */
  readonly missing: string | undefined;
  /** The address of the console, for links. It comes from the settings, never from a request. */
  readonly publicUrl: string;
  /** Called after mail was posted. */
  readonly wake: () => void;
  /** Mail with a link that grants access is stored encrypted until it is sent. */
  readonly seal: Vault['seal'];
}

/** For tests and tools that never mail. */
export const NO_MAIL: AccountMailer = {
  missing: 'E-mail is not configured.',
  publicUrl: '',
  wake: () => {},
  seal() {
    throw new Error('This server sends no e-mail.');
  },
};

/** The address of a page of the console. A token stands behind the #, so that no log of addresses sees it. */
export const linkTo = ({ publicUrl }: Pick<AccountMailer, 'publicUrl'>, path: string, token = '') =>
  `${publicUrl.replace(/\/+$/, '')}${path}${token && `#${token}`}`;

/** `instead`: what the caller can do without mail. */
export const mailNotSetUp = (instead: string) =>
  new Refusal(400, `This server cannot send e-mail. ${instead}`, { code: 'MAIL_NOT_CONFIGURED' });

const HOUR_MS = 3_600_000;

/** Refused for now; `what`: what was done too often, and what to do instead. */
export const tooManyMails = (what: string, code: string, waitMs = 24 * HOUR_MS) =>
  new Refusal(429, what, { code, headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) } });

/** A domain that exists nowhere, by RFC 2606: mail to it is never delivered. */
const DOMAIN = 'service.invalid';

/** The address of a service account, for sharing devices with it. `suffix` distinguishes equal names. */
export function serviceAddress(name: string, suffix: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60);
  return `${[plain, suffix].filter(Boolean).join('-')}@${DOMAIN}`;
}

export const isServiceAddress = (address: string) => address.toLowerCase().endsWith(`@${DOMAIN}`);

interface AccountMail {
  /** Whose delivery it is: who caused it, or whose account it is about. */
  readonly userId: number;
  readonly address: string;
  readonly content: Content;
  /** Encrypts it until it is sent; not needed if the content grants no access. */
  readonly seal?: Vault['seal'];
}

/** Mail about an account, by the outbox: it is retried like any other, and the record never shows its content. */
export async function postMail(tx: Tx, { userId, address, content, seal }: AccountMail, now: number): Promise<void> {
  await post(
    tx,
    [
      {
        kind: 'email',
        target: CHANNELS.email.server,
        ownerId: null,
        userId,
        deviceId: null,
        address,
        what: 'account',
        content: seal ? (messageId) => sealContent(seal, messageId, content) : content,
      },
    ],
    now,
  );
}

/** Whether the reader of the address refused mail, or the address belongs to a program. */
export async function isRefused(tx: Tx, address: string): Promise<boolean> {
  if (isServiceAddress(address)) return true;
  const refusal = await findRow(tx, 'mailRefusals', { address }, ['id']);
  return refusal !== undefined;
}
