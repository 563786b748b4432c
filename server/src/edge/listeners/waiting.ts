import type { Line } from './context.ts';

/** Maximum number of bytes read ahead while reports are being stored. */
const MOST_WAITING_BYTES = 64 * 1024;
const MOST_WAITING_DATAGRAMS = 32;

/** Received bytes that wait for their turn. Reading of a stream pauses if too many wait. */
export class Waiting {
  readonly #line: Line;
  #parts: Buffer[] | undefined;
  #bytes = 0;

  constructor(line: Line) {
    this.#line = line;
  }

  push(bytes: Buffer): void {
    this.#parts ??= [];
    if (this.#line.transport === 'udp' && this.#parts.length >= MOST_WAITING_DATAGRAMS) return;
    this.#parts.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes > MOST_WAITING_BYTES) this.#line.setReading(false);
  }

  /** All bytes of a stream, or the next datagram. */
  next(): Buffer | undefined {
    const parts = this.#parts;
    if (parts === undefined) return undefined;
    if (this.#line.transport === 'udp' && parts.length > 1) return parts.shift();
    this.#parts = undefined;
    if (this.#bytes > MOST_WAITING_BYTES) this.#line.setReading(true);
    this.#bytes = 0;
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  }

  clear(): void {
    this.#parts = undefined;
  }
}
