import { isDeepStrictEqual } from 'node:util';
import { messagesIn } from '@trackway/contract/messages/messages.ts';
import type { Severity } from '@trackway/contract/severities.ts';
import { LANGUAGE_LIST, type Language } from '@trackway/contract/wording/languages.ts';
import { happenedTo } from '@trackway/contract/wording/sentence.ts';
import { harmless, type Quotes, quoteNames } from '../../platform/harmless-text.ts';
import type { Content } from '../../platform/outbox/channel.ts';
import { wallText } from '../../platform/times.ts';
import { isPlain, type Speech } from '../users/speech.ts';

/** What people read: letters, by mail or in a chat, and messages on a screen. */

/** One thing that happened, for a person to read. */
export interface News {
  readonly sentence: string;
  readonly deviceId: number;
  readonly deviceName: string;
  readonly at: number;
  readonly isLate: boolean;
  /** The names in the sentence that users chose, besides the device's. */
  readonly names?: readonly string[];
}

export interface Recipient {
  readonly timeZone: string;
  readonly language: Language;
  /** The address of the console; empty if not configured. */
  readonly publicUrl: string;
}

/** A digest lists at most this many; of the others it gives the number. */
const MAX_LISTED = 100;
const MAX_ON_SCREEN = 5;
const MAX_SUBJECT = 150;

export function mailOf(reported: News, reader: Recipient): Content {
  const texts = messagesIn(reader.language).letters;
  const news = withoutLinks(reported);
  const facts = factsOf(news, reader);
  const link = linkTo(news, reader);
  return {
    type: 'text/plain',
    subject: subjectOf(
      quoteNames(reported.sentence, [reported.deviceName, ...(reported.names ?? [])], texts.quotes as Quotes),
    ),
    text: [`${news.sentence}.`, '', ...facts, ...(link ? ['', `${texts.onMap}: ${link}`] : []), ''].join('\n'),
    html: page(reader, [
      `<p><strong>${escaped(news.sentence)}.</strong></p>`,
      `<p>${facts.map(escaped).join('<br>')}</p>`,
      ...(link ? [`<p><a href="${escaped(link)}">${escaped(texts.showOnMap)}</a></p>`] : []),
    ]),
  };
}

export function mailOfMany(all: readonly News[], reader: Recipient): Content {
  const texts = messagesIn(reader.language).letters;
  const listed = all.slice(0, MAX_LISTED).map(withoutLinks);
  const more = all.length > listed.length ? `${texts.more({ count: all.length - listed.length })}.` : undefined;
  const lines = listed.map((news) => ({ news, when: whenOf(news, reader), link: linkTo(news, reader) }));
  const title = texts.many({ count: all.length });
  return {
    type: 'text/plain',
    subject: title,
    text: [
      `${title}:`,
      '',
      ...lines.map(({ news, when, link }) => `- ${when}: ${news.sentence}${link ? `\n  ${link}` : ''}`),
      ...(more ? ['', more] : []),
      '',
    ].join('\n'),
    html: page(reader, [
      `<p><strong>${title}</strong></p>`,
      `<ul>${lines.map(({ news, when, link }) => `<li>${escaped(when)}: ${linked(news.sentence, link)}</li>`).join('')}</ul>`,
      ...(more ? [`<p>${more}</p>`] : []),
    ]),
  };
}

/** A mail bears the operator's name, so nothing in it that a user wrote can be clicked. */
const withoutLinks = (news: News): News => ({
  ...news,
  sentence: harmless(news.sentence),
  deviceName: harmless(news.deviceName),
});

/** What the browser's worker, or an app, shows on the screen. */
export function pushOf(
  news: News & { readonly notificationId: number; readonly severity?: Severity },
  reader: Recipient,
): Content {
  const { notificationId, deviceId, deviceName, at, sentence, severity = 'info' } = news;
  return screenful({
    title: deviceName,
    body: sentence,
    url: pathTo(news),
    tag: `notification-${notificationId}`,
    deviceId,
    notificationId,
    timestamp: new Date(at).toISOString(),
    when: whenOf(news, reader),
    severity,
  });
}

export function pushOfMany(all: readonly News[], { language }: Pick<Recipient, 'language'>): Content {
  const texts = messagesIn(language).letters;
  const sentences = all.slice(0, MAX_ON_SCREEN).map(({ sentence }) => sentence);
  const more = all.length - sentences.length;
  return screenful({
    title: texts.many({ count: all.length }),
    body: [...sentences, ...(more > 0 ? [texts.more({ count: more })] : [])].join('\n'),
    url: '/notifications',
    tag: 'digest',
    timestamp: new Date(Math.max(...all.map(({ at }) => at))).toISOString(),
  });
}

/** Push services take 4 kB in all. */
const MAX_BODY = 1000;
const screenful = (shown: { title: string; body: string; [more: string]: unknown }): Content => ({
  type: 'application/json',
  subject: subjectOf(shown.title),
  text: JSON.stringify({ ...shown, title: shown.title.slice(0, MAX_SUBJECT), body: shown.body.slice(0, MAX_BODY) }),
});

function factsOf(news: News, reader: Recipient): string[] {
  const { device, when } = messagesIn(reader.language).letters;
  return [`${device}: ${news.deviceName}`, `${when}: ${whenOf(news, reader)}`];
}

const whenOf = ({ at, isLate }: News, { timeZone, language }: Recipient) =>
  `${wallText(timeZone, at, LANGUAGE_LIST[language].locale)}${isLate ? `, ${messagesIn(language).letters.late}` : ''}`;

const pathTo = ({ deviceId, at }: News) => `/map?device=${deviceId}&at=${new Date(at).toISOString()}`;

const linkTo = (news: News, { publicUrl }: Recipient) =>
  publicUrl === '' ? undefined : `${publicUrl.replace(/\/+$/, '')}${pathTo(news)}`;

const linked = (text: string, link: string | undefined) =>
  link ? `<a href="${escaped(link)}">${escaped(text)}</a>` : escaped(text);

/** One line, with any characters in the names of devices and zones. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is control characters that must not get into a header.
const subjectOf = (text: string) => text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ').slice(0, MAX_SUBJECT);

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);

const page = ({ language }: Recipient, parts: readonly string[]) =>
  `<!doctype html><html lang="${language}"><head><meta charset="utf-8"></head><body>${parts.join('')}</body></html>`;

/** Of the params of a notification. */
export interface NotificationTexts {
  readonly type: string;
  readonly message: string;
  readonly zones: readonly string[];
  readonly name: string;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly sent?: Speech & { readonly sentence: string };
}

/** What happened, to one reader. `message` contains it in English and metric units, `sent` as the user was notified. */
export function sentenceFor(speech: Speech, device: string, params: NotificationTexts): string {
  const { language, units } = speech;
  if (isPlain(speech)) return params.message;
  const { sentence, ...spoken } = params.sent ?? {};
  if (sentence !== undefined && isDeepStrictEqual(spoken, { language, units })) return sentence;
  const reader = { messages: messagesIn(language), locale: LANGUAGE_LIST[language].locale, units };
  return happenedTo({ device, params: { ...params } }, reader);
}
