/** Settings come from the environment or from flags; each is declared once, with its type, default and description. */

export interface Declaration<T> {
  readonly default: T;
  readonly about: string;
  readonly secret: boolean;
  readonly isFlag: boolean;
  /** Parses the text, or throws the end of a sentence that begins with the setting's name. */
  read(text: string): T;
}

export class BadSetting extends Error {}

export const text = (byDefault: string, about: string, more: { secret?: boolean } = {}): Declaration<string> => ({
  default: byDefault,
  about,
  secret: more.secret ?? false,
  isFlag: false,
  read: (value) => value,
});

export const integer = (
  byDefault: number,
  about: string,
  range: { min: number; max?: number },
): Declaration<number> => ({
  default: byDefault,
  about,
  secret: false,
  isFlag: false,
  read(value) {
    const { min, max = Number.MAX_SAFE_INTEGER } = range;
    const number = /^-?\d+$/.test(value.trim()) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    const bounds = range.max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new BadSetting(`must be a whole number ${bounds}, not ${JSON.stringify(value)}`);
  },
});

export const flag = (byDefault: boolean, about: string): Declaration<boolean> => ({
  default: byDefault,
  about,
  secret: false,
  isFlag: true,
  read(value) {
    if (/^(true|1|yes|on)$/i.test(value)) return true;
    if (/^(false|0|no|off)$/i.test(value)) return false;
    throw new BadSetting(`must be true or false, not ${JSON.stringify(value)}`);
  },
});

export const oneOf = <const T extends readonly string[]>(
  choices: T,
  byDefault: T[number],
  about: string,
): Declaration<T[number]> => ({
  default: byDefault,
  about: `${about} One of ${choices.join(', ')}.`,
  secret: false,
  isFlag: false,
  read(value) {
    if (choices.includes(value)) return value;
    throw new BadSetting(`must be one of ${choices.join(', ')}, not ${JSON.stringify(value)}`);
  },
});

const PREFIX = 'TRACKWAY_';
export const environmentName = (name: string) =>
  PREFIX + name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
export const flagName = (name: string) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

type Declarations = Record<string, Declaration<unknown>>;
type Values<D extends Declarations> = { readonly [K in keyof D]: D[K] extends Declaration<infer T> ? T : never };

export interface ReadSettings<D extends Declarations> {
  readonly values: Values<D>;
  /** Messages about invalid settings; a service must not start with any. */
  readonly problems: readonly string[];
  /** Messages about variables that look like a setting but are not one. */
  readonly warnings: readonly string[];
}

/**
 * Flags take precedence over the environment, and the environment over the defaults. An empty variable counts as
 * absent.
 */
export function readSettings<const D extends Declarations>(
  declarations: D,
  environment: Record<string, string | undefined>,
  flags: Readonly<Record<string, string>> = {},
): ReadSettings<D> {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, declaration] of Object.entries(declarations)) {
    const given = flags[flagName(name)];
    const value = given ?? (environment[environmentName(name)] || undefined);
    values[name] = declaration.default;
    if (value === undefined) continue;
    try {
      values[name] = declaration.read(value);
    } catch (error) {
      if (!(error instanceof BadSetting)) throw error;
      problems.push(`${given === undefined ? environmentName(name) : flagName(name)} ${error.message}.`);
    }
  }
  return { values: values as Values<D>, problems, warnings: unknownOnes(declarations, environment) };
}

function unknownOnes(declarations: Declarations, environment: Record<string, string | undefined>): string[] {
  const known = new Set(Object.keys(declarations).map(environmentName));
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !name.startsWith(`${PREFIX}TEST_`) && !known.has(name))
    .map((name) => `${name} is not a setting.`);
}
