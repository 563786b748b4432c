/** A compiled message: texts and arguments, in their order. */
export type Message = readonly Part[];
type Part =
  | string
  | readonly [name: string, format?: 'number']
  | readonly [name: string, format: 'plural' | 'select', cases: Readonly<Record<string, Message>>];

export type Arguments = Readonly<Record<string, unknown>>;
export type Write = (values: Arguments) => string;

/** Writes compiled messages by the plural rules of a language and the numbers of a locale. */
export function writerOf(language: string, locale: string): (message: Message) => Write {
  // Made when a text first needs them: the data of their first use is 7 MB in memory.
  let rules: Intl.PluralRules | undefined;
  let numbers: Intl.NumberFormat | undefined;
  const pluralOf = (value: number) => {
    rules ??= new Intl.PluralRules(language);
    return rules.select(value);
  };
  const numberText = (value: number) => {
    numbers ??= new Intl.NumberFormat(locale);
    return numbers.format(value);
  };

  function caseOf(cases: Readonly<Record<string, Message>>, format: string | undefined, value: unknown): Message {
    const names = format === 'plural' ? [`=${value}`, pluralOf(value as number)] : [selected(value)];
    return cases[names.find((name) => Object.hasOwn(cases, name)) ?? 'other']!;
  }

  const write = (message: Message, values: Arguments): string =>
    message
      .map((part) => {
        if (typeof part === 'string') return part;
        const [name, format, cases] = part;
        const value = values[name];
        if (cases) return write(caseOf(cases, format, value), values);
        return format === 'number' ? numberText(value as number) : String(value);
      })
      .join('');
  return (message) => (values) => write(message, values);
}

/** An absent value selects `none`, which no value does. */
const selected = (value: unknown) =>
  value === undefined || value === null || value === '' ? 'none' : value === 'none' ? 'other' : String(value);
