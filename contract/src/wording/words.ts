import type { ALARMS } from '../alarms.ts';
import type { TriggerTypeName } from '../triggers.ts';

/** What a sentence about a notification is made of: `params.meta`, in the units of the reader. */
export interface Happening {
  readonly value: string;
  readonly limit: string;
  /** The bound that the value passed, where it passed one. */
  readonly below: string | undefined;
  readonly above: string | undefined;
  readonly zone: string | undefined;
  readonly isEntry: boolean;
  /** How long it had lasted, in seconds; 0 where that is not known or does not matter. */
  readonly lasted: number;
  /** How long nothing was received, in seconds. */
  readonly silentFor: number;
  readonly readingType: string;
  readonly alarm: string;
  readonly alerts: readonly string[];
  readonly other: string | undefined;
  /** To the other device; undefined where it was heard by Bluetooth. */
  readonly apart: string | undefined;
  /** It is at most that far away. */
  readonly isRounded: boolean;
  /** What is to be done for a device, and what is left until then: a way, or seconds; undefined where it is due. */
  readonly task: string;
  readonly rest: string | number | undefined;
}

/** How a language says what happened. One that lacks a type of trigger does not compile. */
export interface Wording {
  readonly alarms: Readonly<Record<(typeof ALARMS)[number], string>>;
  /** From the lowest bit on. */
  readonly alerts: readonly string[];
  /** The sentence that is sent on after so many seconds, with the reason. */
  readonly unacknowledged: (seconds: number, sentence: string) => string;
  readonly happened: Readonly<Record<TriggerTypeName, (device: string, happening: Happening) => string>>;
}

/** The word for so many of something, by the rules of a language: one, or another number. */
export function numberedIn(locale: string) {
  const rules = new Intl.PluralRules(locale);
  return (count: number, one: string, other: string) =>
    `${count.toLocaleString(locale)} ${rules.select(count) === 'one' ? one : other}`;
}

/** The largest unit that says a length of time well. */
export function lastingIn<Unit>(seconds: number, say: Readonly<Record<TimeUnit, (count: number) => Unit>>): Unit {
  if (seconds < 120) return say.second(seconds);
  if (seconds < 7200) return say.minute(Math.round(seconds / 60));
  return seconds < 172_800 ? say.hour(Math.round(seconds / 3600)) : say.day(Math.round(seconds / 86_400));
}
type TimeUnit = 'second' | 'minute' | 'hour' | 'day';
