import type { Language } from '@trackway/contract/wording/languages.ts';
import type { Kysely } from 'kysely';
import { quotedName } from '../../../platform/harmless-text.ts';
import type { Content } from '../../../platform/outbox/channel.ts';
import type { Tables } from '../../schema/tables.ts';
import { ACCOUNT_TEXTS } from './texts/texts.ts';

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

export interface Shared {
  /** The address of whoever shares it. */
  readonly from: string;
  readonly thing: SharedThing;
}

/** The letters about accounts, in the language of whoever gets them. */
export function accountLetters(language: Language) {
  const texts = ACCOUNT_TEXTS[language];
  const { notYou, notExpected, twoDays, sevenDays } = texts;

  const kindOf = (thing: SharedThing) => ('device' in thing ? 'device' : 'groupOfDevices' in thing ? 'group' : 'list');

  function sharedLine({ from, thing }: Shared): string {
    const { line, rights } = texts.shared;
    if ('device' in thing)
      return `${line.device(from, quotedName(thing.device, texts.quotes))} ${rights.device[thing.rights]}`;
    if ('groupOfDevices' in thing)
      return `${line.group(from, quotedName(thing.groupOfDevices, texts.quotes))} ${rights.group[thing.rights]}`;
    return line.list(from, quotedName(thing.listOfGeofences, texts.quotes));
  }

  return {
    confirm(link: string) {
      const { subject, line, link: label } = texts.confirm;
      return letter(language, { subject, lines: [line], link: { label, address: link }, after: [twoDays, notYou] });
    },

    changed(newEmail: string) {
      const { subject, line, notYou: alarmed } = texts.changed;
      return letter(language, { subject, lines: [line(newEmail), alarmed] });
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
      return letter(language, { subject, lines: [line(from)], link: { label, address: link }, after });
    },

    /** To somebody with an account. */
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

    /** To somebody without an account. Without a link an admin has to make the account. */
    sharedInvitation(shared: Shared, link: string | undefined) {
      const { subject, join, wait } = texts.shared;
      return letter(language, {
        subject: subject[kindOf(shared.thing)],
        lines: [sharedLine(shared)],
        ...(link && { link: { label: join, address: link } }),
        after: link ? [sevenDays, notExpected] : [wait],
      });
    },

    recipient(from: string, link: string) {
      const { subject, line, link: label, after } = texts.recipient;
      return letter(language, { subject, lines: [line(from)], link: { label, address: link }, after: [after] });
    },
  };
}

/** In the language of a user; in English to whoever chose none. */
export async function lettersTo(tx: Kysely<Tables>, userId: number) {
  const user = await tx.selectFrom('users').select('language').where('id', '=', userId).executeTakeFirst();
  return accountLetters(user?.language ?? 'en');
}
