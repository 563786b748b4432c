import { messagesIn } from '@trackway/contract/messages/messages.ts';
import { LANGUAGE_LIST } from '@trackway/contract/wording/languages.ts';
import { happenedTo } from '@trackway/contract/wording/sentence.ts';
import { PLAIN_SPEECH } from '../users/speech.ts';
import type { FiringContent, TriggerRule } from './evaluator.ts';
import { TRIGGERS } from './registry.ts';

/** The API promises sentences in English and metric units. */
export const sentenceOf = (firing: FiringContent, device: string, { language, units } = PLAIN_SPEECH): string =>
  happenedTo(
    { device, params: { type: firing.rule.type, meta: { ...firing.facts, ...reportOf(firing) } } },
    { messages: messagesIn(language), locale: LANGUAGE_LIST[language].locale, units },
  );

/** Values of the sentence in addition to the facts. */
export const reportOf = (firing: FiringContent): Readonly<Record<string, unknown>> =>
  TRIGGERS[firing.rule.type].reported?.(firing) ?? {};

/** The published subtype of a firing, for the types that have one. */
export const subtypeOf = ({ rule }: { readonly rule: TriggerRule }): string | undefined =>
  TRIGGERS[rule.type].subtype?.(rule);
