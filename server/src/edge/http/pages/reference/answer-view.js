import { make, showCode } from './dom.js';

/** Longer responses are truncated. */
const MAX_CHARACTERS = 200_000;
/** Highlighting takes time: longer responses are shown without colours. */
const MAX_COLOURED = 40_000;
const HEADERS = ['content-type', 'x-ratelimit-remaining', 'retry-after', 'x-request-id', 'location'];

/** Shows the response to a request while it arrives. */
export class AnswerView {
  constructor() {
    this.title = make('p', { class: 'result-title', role: 'status' });
    this.code = make('code', {});
    this.headers = make('dl', { class: 'headers' });
    this.element = make(
      'div',
      { class: 'result', hidden: true },
      this.title,
      this.headers,
      make('pre', { tabindex: '0', role: 'region', 'aria-label': 'Response' }, this.code),
    );
  }

  /**
   * @param {() => Promise<Response>} ask
   * @param {AbortSignal} signal
   */
  async run(ask, signal) {
    this.element.hidden = false;
    this.element.dataset.state = 'waiting';
    this.title.textContent = 'Waiting for the response…';
    this.headers.replaceChildren();
    this.code.textContent = '';
    const started = performance.now();
    try {
      const response = await ask();
      const took = Math.round(performance.now() - started);
      this.element.dataset.state = response.ok ? 'good' : 'bad';
      this.title.textContent = `${response.status} ${response.statusText} in ${took} ms`;
      for (const name of HEADERS) {
        const value = response.headers.get(name);
        if (value !== null) this.headers.append(make('div', {}, make('dt', {}, name), make('dd', {}, value)));
      }
      await this.#read(response);
    } catch (error) {
      if (signal.aborted) this.title.textContent += ' (stopped)';
      else {
        this.element.dataset.state = 'bad';
        this.title.textContent = `No response: ${error instanceof Error ? error.message : error}`;
      }
    }
  }

  /** @param {Response} response */
  async #read(response) {
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    let text = '';
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      text += part.value;
      if (!isJson) this.code.textContent = text;
      if (text.length > MAX_CHARACTERS) {
        await reader?.cancel();
        this.code.textContent = `${text.slice(0, MAX_CHARACTERS)}\n… cut off here`;
        return;
      }
    }
    if (text === '') this.code.textContent = 'The response has no body.';
    else if (isJson) this.#showJson(text);
  }

  /** @param {string} text */
  #showJson(text) {
    let shown = text;
    try {
      shown = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // Text that is not JSON is shown unchanged.
    }
    if (shown.length > MAX_COLOURED) this.code.textContent = shown;
    else showCode(this.code, shown);
  }
}
