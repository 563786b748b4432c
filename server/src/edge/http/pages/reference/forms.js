import { AnswerView } from './answer-view.js';
import { find, findAll, make, openDialog } from './dom.js';
import { operationIn, showSample } from './request-samples.js';
import { addressOf } from './samples.js';
import { hasToken, onToken, openTokenDialog, tokenNow } from './token.js';

/**
 * @typedef {import('./request-samples.js').Shown} Shown
 * @typedef {import('./request-samples.js').FormParameter} FormParameter
 * @typedef {import('./samples.js').Filled} Filled
 */

/** A form is created when it is first opened. */
export function startForms() {
  for (const section of findAll('.operation')) {
    const box = section.querySelector('.try');
    if (!(box instanceof HTMLDetailsElement)) continue;
    box.addEventListener('toggle', () => {
      const place = find('.form', box);
      if (box.open && place.childElementCount === 0) place.append(formOf(section));
    });
  }
}

/**
 * @param {HTMLElement} section
 */
function formOf(section) {
  const operation = operationIn(section);
  const fields = operation.parameters.map((parameter) => new ParameterField(operation, parameter));
  const body = operation.body === undefined ? undefined : new BodyField(operation);
  const keyId = `${operation.name}-device-key`;
  // Device keys are not stored.
  const key =
    operation.auth === 'deviceKey' ? make('input', { id: keyId, type: 'password', autocomplete: 'off' }) : undefined;
  const problem = make('p', { class: 'problem', role: 'alert' });
  const send = make('button', { type: 'submit', class: 'button primary' }, 'Send');
  const stop = make('button', { type: 'button', class: 'button', hidden: true }, 'Stop');
  const view = new AnswerView();

  /** @returns {Filled} */
  const filled = () => ({
    values: Object.fromEntries(fields.map((field) => [field.name, field.value()])),
    ...(body && { body: body.value() }),
  });
  const show = () => {
    try {
      showSample(section, filled());
      problem.textContent = '';
    } catch (error) {
      // The sample keeps its previous value until the input is valid again.
      problem.textContent = messageOf(error);
    }
  };
  const run = async () => {
    const missing = fields.find((field) => field.isMissing());
    if (missing) {
      problem.textContent = `${missing.name} is required.`;
      missing.input.focus();
      return;
    }
    /** @type {Filled} */
    let given;
    try {
      given = filled();
    } catch (error) {
      problem.textContent = messageOf(error);
      return;
    }
    problem.textContent = '';
    if (operation.auth === 'token' && !hasToken()) return openTokenDialog();
    if (key?.value === '') {
      problem.textContent = 'The key of the device is required.';
      key.focus();
      return;
    }
    if (operation.asksFirst && !(await isAgreed(operation, given))) return;
    const aborting = new AbortController();
    stop.onclick = () => aborting.abort();
    stop.hidden = false;
    send.disabled = true;
    await view.run(() => request(operation, given, key?.value, aborting.signal), aborting.signal);
    stop.hidden = true;
    send.disabled = false;
  };

  const form = make(
    'form',
    {
      input: show,
      submit: (event) => {
        event.preventDefault();
        void run();
      },
    },
    ...(key ? [make('div', { class: 'field' }, make('label', { for: keyId }, 'Key of the device'), key)] : []),
    ...fields.map((field) => field.element),
    ...(body ? [body.element] : []),
    problem,
    make(
      'div',
      { class: 'actions' },
      send,
      stop,
      make('span', { class: 'hint' }, 'Sends a real request to this server.'),
    ),
  );
  const state = make('div', { class: 'no-token' });
  onToken(() => {
    state.hidden = operation.auth !== 'token' || hasToken();
    state.replaceChildren(
      make('p', {}, 'No token is set. This operation needs one.'),
      make('button', { type: 'button', class: 'button', click: openTokenDialog }, 'Set a token'),
    );
  });
  return make('div', {}, state, form, view.element);
}

/**
 * Sends requests only to this server: the address has no host, and redirects are not followed.
 * @param {Shown} operation
 * @param {Filled} given
 * @param {string | undefined} key of a device
 * @param {AbortSignal} signal
 */
async function request(operation, given, key, signal) {
  const token = operation.auth === 'token' ? await tokenNow() : key;
  return fetch(addressOf(operation, given), {
    method: operation.method,
    headers: {
      accept: 'application/json, text/*',
      ...(token !== undefined && { authorization: token }),
      ...(given.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
    credentials: 'omit',
    redirect: 'error',
    cache: 'no-store',
    signal,
  });
}

/**
 * @param {Shown} operation
 * @param {Filled} given
 * @returns {Promise<boolean>}
 */
function isAgreed(operation, given) {
  return new Promise((resolve) => {
    let isRun = false;
    const dialog = openDialog(
      `${operation.summary}?`,
      make('p', {}, make('code', {}, `${operation.method} ${addressOf(operation, given)}`)),
      make('p', {}, 'This changes real data on this server. You may not be able to undo it.'),
      make(
        'div',
        { class: 'actions' },
        make('button', { type: 'button', class: 'button', autofocus: true, click: () => dialog.close() }, 'Cancel'),
        make(
          'button',
          {
            type: 'button',
            class: 'button danger',
            click: () => {
              isRun = true;
              dialog.close();
            },
          },
          'Run',
        ),
      ),
    );
    dialog.addEventListener('close', () => resolve(isRun));
  });
}

class ParameterField {
  /**
   * @param {Shown} operation
   * @param {FormParameter} parameter
   */
  constructor(operation, parameter) {
    this.parameter = parameter;
    this.name = parameter.name;
    const id = `${operation.name}-${parameter.name}`;
    const given = textOf(operation.filled.values[parameter.name]);
    const choices = parameter.kind === 'boolean' ? ['true', 'false'] : parameter.choices;
    this.input =
      choices && parameter.kind !== 'list'
        ? make(
            'select',
            { id },
            ...[...(parameter.isRequired ? [] : ['']), ...choices].map((one) =>
              make('option', { value: one }, one === '' ? '–' : one),
            ),
          )
        : make('input', {
            id,
            autocomplete: 'off',
            spellcheck: 'false',
            ...(parameter.isRequired && { 'aria-required': 'true' }),
          });
    this.input.value = given;
    const about = parameter.kind === 'json' ? 'JSON' : parameter.kind === 'list' ? 'separated by commas' : '';
    this.element = make(
      'div',
      { class: 'field' },
      make('label', { for: id }, parameter.name, ...(about ? [make('span', { class: 'hint' }, ` ${about}`)] : [])),
      this.input,
    );
  }

  isMissing() {
    return this.parameter.isRequired === true && this.input.value.trim() === '';
  }

  /** Undefined if the field is empty. */
  value() {
    const text = this.input.value.trim();
    if (text === '') return undefined;
    const { kind, name } = this.parameter;
    if (kind === 'json') return parsed(name, text);
    if (kind === 'list') return text.split(',').map((item) => item.trim());
    if (kind === 'number') return Number.isFinite(Number(text)) ? Number(text) : text;
    return kind === 'boolean' ? text === 'true' : text;
  }
}

class BodyField {
  /** @param {Shown} operation */
  constructor(operation) {
    const text = JSON.stringify(operation.filled.body ?? {}, null, 2);
    const id = `${operation.name}-body`;
    this.input = make('textarea', { id, spellcheck: 'false', rows: String(Math.min(16, text.split('\n').length + 1)) });
    this.input.value = text;
    this.element = make(
      'div',
      { class: 'field' },
      make('label', { for: id }, 'Body', make('span', { class: 'hint' }, ' JSON')),
      this.input,
    );
  }

  value() {
    const text = this.input.value.trim();
    return text === '' ? undefined : parsed('Body', text);
  }
}

/** @param {unknown} value */
function textOf(value) {
  if (value === undefined) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * @param {string} name
 * @param {string} text
 */
function parsed(name, text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name} is not JSON: ${messageOf(error)}`);
  }
}

/** @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));
