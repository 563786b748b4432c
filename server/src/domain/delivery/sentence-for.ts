import { isDeepStrictEqual } from 'node:util';
import { messagesIn } from '@trackway/contract/messages/messages.ts';
import { LANGUAGE_LIST } from '@trackway/contract/wording/languages.ts';
import { happenedTo } from '@trackway/contract/wording/sentence.ts';
import { isPlain, type Speech } from '../users/speech.ts';

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
