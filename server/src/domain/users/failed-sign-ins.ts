import { Refusal } from '../../platform/errors.ts';

const WINDOW_MS = 15 * 60_000;
const ALLOWED = 10;
const MAX_KEPT = 50_000;

/** Counts failed logins per account and address, and refuses more after ten within 15 minutes. */
export class FailedSignIns {
  readonly #failures = new Map<string, number[]>();

  /** Refuses before the password is checked. */
  check(account: string, address: string, now: number): void {
    const recent = this.#recent(keyOf(account, address), now);
    if (recent.length < ALLOWED) return;
    const seconds = Math.max(1, Math.ceil((recent[0]! + WINDOW_MS - now) / 1000));
    throw new Refusal(429, `Too many failed log-ins: try again in ${seconds} s`, {
      code: 'TOO_MANY_FAILURES',
      headers: { 'retry-after': String(seconds) },
    });
  }

  failed(account: string, address: string, now: number): void {
    const key = keyOf(account, address);
    const recent = [...this.#recent(key, now), now];
    // Deleting and setting the key orders the map by last failure, so that the oldest entry is removed first.
    this.#failures.delete(key);
    this.#failures.set(key, recent);
    if (this.#failures.size > MAX_KEPT) this.#failures.delete(this.#failures.keys().next().value!);
  }

  succeeded(account: string, address: string): void {
    this.#failures.delete(keyOf(account, address));
  }

  #recent(key: string, now: number): number[] {
    return (this.#failures.get(key) ?? []).filter((at) => at > now - WINDOW_MS);
  }
}

const keyOf = (account: string, address: string) => `${account.toLowerCase()}\n${address}`;
