import type { Socket } from 'node:net';

/** What parts of a server announce to parts that start after them. */
export interface AppEvents {
  /** The outbox may have something to send. */
  outboxChanged: [];
  /** The local network has connected. */
  connected: [socket: Socket];
  /** A message waits for a device. */
  messageQueued: [deviceId: number];
  /** No command waits for the answer of a device any longer. */
  channelReleased: [deviceId: number];
}

/** An event without a listener is lost: a part that starts reads earlier changes from the store. */
export class Bus<Events extends { [Name in keyof Events]: unknown[] }> {
  readonly #listeners: { [Name in keyof Events]?: ((...values: Events[Name]) => void)[] } = {};

  on<Name extends keyof Events>(name: Name, listener: (...values: Events[Name]) => void): void {
    const listeners = this.#listeners[name] ?? [];
    this.#listeners[name] = [...listeners, listener];
  }

  emit<Name extends keyof Events>(name: Name, ...values: Events[Name]): void {
    for (const listener of this.#listeners[name] ?? []) listener(...values);
  }
}
