/** One server-sent event. */
export interface StreamEvent {
  readonly name: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Parses server-sent events from text that arrives in arbitrary pieces. */
export class EventStreamReader {
  #remaining = '';
  #name = 'message';
  #data: string[] = [];
  #id: string | undefined;
  #lastId: string | undefined;

  /** The position in the stream after the last event; it also advances without events. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  read(text: string): StreamEvent[] {
    const all = this.#remaining + text;
    // A line may end with \r\n: the character after a final \r must be seen first.
    const held = all.endsWith('\r') ? '\r' : '';
    const lines = all.slice(0, all.length - held.length).split(/\r\n|\n|\r/);
    this.#remaining = lines.pop()! + held;
    const events: StreamEvent[] = [];
    for (const line of lines) {
      if (line !== '') this.#take(line);
      else {
        if (this.#data.length > 0) events.push({ name: this.#name, data: this.#data.join('\n'), id: this.#id });
        this.#lastId = this.#id;
        this.#name = 'message';
        this.#data = [];
      }
    }
    return events;
  }

  #take(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#name = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'id') this.#id = value;
  }
}
