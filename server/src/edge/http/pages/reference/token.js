import { find, make, openDialog } from './dom.js';

/**
 * The token for trying requests. A pasted token is stored until this tab is closed. The console's session is exchanged
 * for a short-lived token, which stays in memory.
 */

const KEY = 'trackway.reference.token';
const SESSION = 'session';
/** A short-lived token is renewed this long before it expires. */
const EARLY_MS = 30_000;

/** @typedef {{ kind: 'none' } | { kind: 'pasted', token: string } | { kind: 'session' }} Source */

/** @type {Source} */
let source = { kind: 'none' };
/** @type {{ token: string, until: number } | undefined} */
let short;
/** @type {Set<() => void>} */
const listeners = new Set();

export const hasToken = () => source.kind !== 'none';

/** @param {() => void} listener */
export function onToken(listener) {
  listeners.add(listener);
  listener();
}

/** @returns {Promise<string | undefined>} */
export async function tokenNow() {
  if (source.kind !== 'session') return source.kind === 'pasted' ? source.token : undefined;
  if (short === undefined || Date.now() > short.until) await trade();
  return short?.token;
}

/**
 * Exchanges the console's cookie, which scripts cannot read, for a token. The cookie is sent only to this path of this
 * server.
 */
async function trade() {
  const asked = await fetch('/session/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    credentials: 'same-origin',
    body: '{}',
  });
  if (asked.status !== 200) {
    short = undefined;
    if (source.kind === 'session') use({ kind: 'none' });
    return;
  }
  const { token, expiresIn } = await asked.json();
  short = { token, until: Date.now() + expiresIn * 1000 - EARLY_MS };
}

/** @param {Source} next */
function use(next) {
  source = next;
  if (next.kind !== 'session') short = undefined;
  try {
    if (next.kind === 'none') sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(next.kind === 'session' ? SESSION : { token: next.token }));
  } catch {
    // Storage is unavailable: the token is lost when the page closes.
  }
  for (const listener of listeners) listener();
}

function kept() {
  try {
    const stored = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    if (stored === SESSION) source = { kind: 'session' };
    else if (typeof stored?.token === 'string') source = { kind: 'pasted', token: stored.token };
  } catch {
    // Nothing was stored.
  }
}

const LABELS = { none: 'No token', pasted: 'Token set', session: 'Console session' };

export function startToken() {
  kept();
  const button = find('#token');
  button.addEventListener('click', openTokenDialog);
  onToken(() => {
    button.textContent = LABELS[source.kind];
    button.dataset.state = source.kind;
  });
}

export function openTokenDialog() {
  const input = make('input', {
    type: 'password',
    id: 'token-input',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': 'token-about',
  });
  const status = make('p', { role: 'status', class: 'status-line' }, statusText());
  const close = () => dialog.close();
  const forget = () => {
    use({ kind: 'none' });
    close();
  };
  const form = make(
    'form',
    {
      submit: async (event) => {
        event.preventDefault();
        const token = input.value.trim();
        if (token === '') status.textContent = 'Paste a token first.';
        else if (await isKnown(token, status)) {
          use({ kind: 'pasted', token });
          close();
        }
      },
    },
    make('label', { for: 'token-input' }, 'Token'),
    input,
    make(
      'p',
      { id: 'token-about', class: 'hint' },
      'A token from a login, or a personal access token. It is sent to this server alone, and kept until this tab is closed.',
    ),
    make(
      'div',
      { class: 'actions' },
      make('button', { type: 'submit', class: 'button primary' }, 'Use this token'),
      make(
        'button',
        { type: 'button', class: 'button', click: () => void useSession(status, close) },
        'Use my console session',
      ),
      ...(hasToken() ? [make('button', { type: 'button', class: 'button', click: forget }, 'Remove the token')] : []),
      make('button', { type: 'button', class: 'button quiet', click: close }, 'Cancel'),
    ),
  );
  const dialog = openDialog('Token for requests', status, form);
  input.focus();
}

const statusText = () =>
  ({
    none: 'No token is set. Set one to run the requests that need it.',
    pasted: 'A token is set.',
    session: 'Requests are run as the user who is signed in to the console.',
  })[source.kind];

/**
 * @param {string} token
 * @param {HTMLElement} status
 */
async function isKnown(token, status) {
  status.textContent = 'Checking…';
  try {
    const answer = await fetch('/api/users/me', { headers: { authorization: token }, credentials: 'omit' });
    if (answer.status !== 401) return true;
    status.textContent = 'This server does not know the token, or it has expired.';
  } catch {
    status.textContent = 'The server cannot be reached.';
  }
  return false;
}

/**
 * @param {HTMLElement} status
 * @param {() => void} close
 */
async function useSession(status, close) {
  try {
    await trade();
  } catch {
    status.textContent = 'The server cannot be reached.';
    return;
  }
  if (short === undefined) {
    status.replaceChildren(
      'This browser is not signed in to the console. ',
      make('a', { href: '/' }, 'Sign in'),
      ', then try again.',
    );
    return;
  }
  use({ kind: 'session' });
  close();
}
