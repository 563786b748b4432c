import { type Message, type Write, writerOf } from '@trackway/contract/messages/format.ts';
import type { Messages } from '@trackway/contract/messages/types.ts';
import { LANGUAGE, LOCALE } from '../language.ts';

/** Messages that only the server sends. */
type Elsewhere = 'accountMail' | 'letters' | 'reportMail';

/** Every text of the console by its area: `t.map.search`. They are loaded before what uses them. */
export const t = {} as Omit<Messages, Elsewhere>;

/** The text of a key that the server chose, if it has one. */
export const textFor = (texts: Readonly<Record<string, string>>, key: string | number): string | undefined =>
  Object.hasOwn(texts, key) ? texts[key] : undefined;

/** The message of a key that the server chose, with its values, if there is one. */
export function messageFor(messages: object, key: string, values: object = {}): string | undefined {
  const message: unknown = Object.hasOwn(messages, key) ? messages[key as never] : undefined;
  return typeof message === 'function' ? message(values) : (message as string | undefined);
}

/** A part of the messages of a language, as the build compiles it. */
export interface MessagePart {
  readonly default: (write: (message: Message) => Write) => Partial<Messages>;
}

/** `start` is needed on every page of the console, `rest` after the sign-in, `link` on the public page of a link. */
export async function loadMessages(part: 'start' | 'rest' | 'link'): Promise<void> {
  const parts = {
    start: import.meta.glob<MessagePart>('../../../messages/*.json', { query: '?start' }),
    rest: import.meta.glob<MessagePart>('../../../messages/*.json', { query: '?rest' }),
    link: import.meta.glob<MessagePart>('../../../messages/*.json', { query: '?link' }),
  };
  const { default: messages } = await parts[part][`../../../messages/${LANGUAGE}.json`]!();
  takeMessages(messages(writerOf(LANGUAGE, LOCALE)));
}

export const takeMessages = (messages: Partial<Messages>): void => {
  Object.assign(t, messages);
};
