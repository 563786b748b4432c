import type { Messages } from '../messages/types.ts';

/** Why something was not sent: the key of a message in `reasons`, and its values, some of which are reasons themselves. */
export interface ReasonDetails {
  readonly code: string;
  readonly [name: string]: string | number | ReasonDetails | undefined;
}

/** The sentence in a language; undefined if the code is unknown, as that of a newer server. */
export function reasonIn(reasons: Messages['reasons'], { code, ...values }: ReasonDetails): string | undefined {
  const message: unknown = Object.hasOwn(reasons, code) ? reasons[code as keyof typeof reasons] : undefined;
  if (typeof message !== 'function') return message as string | undefined;
  const written = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'object' ? (reasonIn(reasons, value) ?? value.code) : value,
  ]);
  return message(Object.fromEntries(written));
}
