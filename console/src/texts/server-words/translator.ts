import type { ServerWords } from './sentences.ts';

/** Says what the server said in the language of a table; what the table does not have stays as it is. */
export function translatorOf(words: ServerWords): (text: string) => string {
  const exact = new Map(Object.entries(words).map(([english, said]) => [keyOf(english), said]));
  const templates = Object.entries(words)
    .filter(([english]) => english.includes('{'))
    // The one that says most of its own fits best.
    .sort(([one], [other]) => other.length - one.length)
    .map(([english, said]) => ({ pattern: patternOf(english), said }));
  const translate = (text: string): string => {
    const [, sentence, end] = /^([\s\S]*?)(\.?)$/.exec(text)!;
    const whole = exact.get(keyOf(sentence!));
    if (whole !== undefined) return `${whole}${end}`;
    for (const { pattern, said } of templates) {
      const found = pattern.exec(sentence!);
      if (found !== null)
        return `${said.replaceAll(/\{(\d)\}/g, (_, place) => translate(found[Number(place) + 1]!))}${end}`;
    }
    return text;
  };
  return translate;
}

/** The server writes a reason with a capital, or in the middle of a sentence. */
const keyOf = (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1);

function patternOf(english: string): RegExp {
  const parts = english.split(/\{\d\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('([\\s\\S]*?)')}$`, 'i');
}
