import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { type Message, type Write, writerOf } from './format.ts';

/** A file of `messages/`: texts in ICU MessageFormat by their keys. */
export type Catalog = { readonly [key: string]: Texts };
type Texts = string | readonly string[] | Catalog;

/** The text itself if it has no arguments. */
export function compile(text: string): string | Message {
  const message = partsOf(parse(text, { ignoreTag: true, requiresOtherClause: true }));
  if (message.every((part) => typeof part === 'string')) return message.join('');
  return message;
}

const partsOf = (elements: readonly MessageFormatElement[], counted = ''): Message =>
  elements.map((element) => {
    switch (element.type) {
      case TYPE.literal:
        return element.value;
      case TYPE.pound:
        return [counted, 'number'];
      case TYPE.argument:
        return [element.value];
      case TYPE.number:
        return [element.value, 'number'];
      case TYPE.plural:
        return [element.value, 'plural', casesOf(element.options, element.value)];
      case TYPE.select:
        return [element.value, 'select', casesOf(element.options, counted)];
      default:
        throw new Error('Only plain arguments, number, plural and select are supported in messages');
    }
  });

const casesOf = (options: Readonly<Record<string, { readonly value: MessageFormatElement[] }>>, counted: string) =>
  Object.fromEntries(Object.entries(options).map(([name, { value }]) => [name, partsOf(value, counted)]));

/**
 * The catalog with its texts compiled: texts without arguments stay texts, the others are functions. A text is compiled
 * when it is first used.
 */
export function compileCatalog(catalog: Catalog, language: string, locale: string): unknown {
  const writer = writerOf(language, locale);
  const compiled = (value: Texts): unknown => {
    if (typeof value === 'string') return messageOf(value, writer);
    if (Array.isArray(value)) return value.map(compiled);
    const area = {};
    for (const [key, inner] of Object.entries(value)) defineLazily(area, key, () => compiled(inner));
    return area;
  };
  return compiled(catalog);
}

function defineLazily(area: object, key: string, make: () => unknown): void {
  const define = (value: unknown) => {
    Object.defineProperty(area, key, { value, enumerable: true, configurable: true });
    return value;
  };
  Object.defineProperty(area, key, { get: () => define(make()), enumerable: true, configurable: true });
}

function messageOf(text: string, writer: (message: Message) => Write): string | Write {
  if (!/[{']/.test(text)) return text;
  const message = compile(text);
  return typeof message === 'string' ? message : writer(message);
}
