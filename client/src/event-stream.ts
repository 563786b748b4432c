/** One server-sent event. */
export interface StreamEvent {
  readonly name: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** Reads server-sent events out of the text of an answer, whatever pieces it comes in. */
export class EventStreamReader {
  #rest = '';
  #name = 'message';
  #data: string[] = [];
  #id: string | undefined;
  #lastId: string | undefined;

  /** The place in the stream, after the last event that was told; it also moves while nothing is told. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  read(text: string): StreamEvent[] {
    const all = this.#rest + text;
    // A line may end with \r\n: what follows a last \r has to be seen first.
    const held = all.endsWith('\r') ? '\r' : '';
    const lines = all.slice(0, all.length - held.length).split(/\r\n|\n|\r/);
    this.#rest = lines.pop()! + held;
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
