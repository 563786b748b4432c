import { find, make } from './dom.js';

/** @typedef {{ t: string, m?: string, p: string, n?: string, u: string, w: string }} Entry */

const MAX_RESULTS = 12;
const COUNTS = ['Nothing found', '1 result'];

/** @type {Promise<Entry[]> | undefined} */
let loading;

function load() {
  loading ??= fetch('/docs/search.json', { credentials: 'omit' })
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(String(answer.status)))))
    .catch(() => {
      loading = undefined;
      return [];
    });
  return loading;
}

/** Searches operations and sections of guides. `/` and Ctrl K focus the field. */
export function startSearch() {
  const input = /** @type {HTMLInputElement} */ (find('#search'));
  const list = find('#results');
  const count = find('#found');
  /** @type {HTMLElement[]} */
  let options = [];
  let at = -1;

  /** @param {number} next */
  const mark = (next) => {
    at = next;
    for (const [index, option] of options.entries()) option.setAttribute('aria-selected', String(index === at));
    const chosen = options[at];
    if (chosen) {
      input.setAttribute('aria-activedescendant', chosen.id);
      chosen.scrollIntoView({ block: 'nearest' });
    } else input.removeAttribute('aria-activedescendant');
  };
  const close = () => {
    list.hidden = true;
    find('.search').classList.remove('nothing');
    count.textContent = '';
    input.setAttribute('aria-expanded', 'false');
    mark(-1);
  };
  const show = async () => {
    const wanted = input.value;
    if (wanted.trim() === '') return close();
    const found = searched(await load(), wanted);
    if (input.value !== wanted) return;
    options = found.map(optionOf);
    list.replaceChildren(...options);
    list.hidden = found.length === 0;
    input.setAttribute('aria-expanded', String(found.length > 0));
    count.textContent = COUNTS[found.length] ?? `${found.length} results`;
    find('.search').classList.toggle('nothing', found.length === 0);
    mark(found.length > 0 ? 0 : -1);
  };

  input.addEventListener('focus', () => void load());
  input.addEventListener('input', () => void show());
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      input.value = '';
      close();
    } else if (event.key === 'Enter') options[at]?.click();
    else if (event.key === 'ArrowDown' && options.length > 0) mark((at + 1) % options.length);
    else if (event.key === 'ArrowUp' && options.length > 0) mark((at - 1 + options.length) % options.length);
    else return;
    event.preventDefault();
  });
  list.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element) || !target.closest('a')) return;
    input.value = '';
    close();
  });
  document.addEventListener('pointerdown', ({ target }) => {
    if (target instanceof Element && !target.closest('.search')) close();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select, dialog');
    const isCalled = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (!isCalled) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}

/**
 * @param {Entry} entry
 * @param {number} index
 */
function optionOf({ t, m, p, u }, index) {
  return make(
    'a',
    { role: 'option', id: `result-${index}`, href: u, tabindex: '-1', 'aria-selected': 'false' },
    make('b', {}, t),
    make(
      'span',
      {},
      ...(m ? [make('span', { class: 'method', 'data-method': m }, m), ' '] : []),
      make('span', { class: 'where' }, p),
    ),
  );
}

/** Common search terms and the terms of the reference. */
const SYNONYMS = Object.entries({
  alarm: 'trigger',
  alert: 'trigger notification',
  area: 'geofence',
  car: 'device',
  fence: 'geofence',
  history: 'position point',
  location: 'position point',
  login: 'sign-in',
  quota: 'limit',
  rate: 'ratelimit 429',
  speeding: 'speed',
  throttle: 'ratelimit 429',
  vehicle: 'device',
  zone: 'geofence',
}).map(([word, others]) => /** @type {const} */ ([word, others.split(' ')]));
/** Weights: a synonym counts less than the word itself, and a word with a typing error less than any other match. */
const [SYNONYM, TYPO] = [0.6, 0.3];

/**
 * Each word must match. A word in the title counts most, and more at the beginning of a word than inside it. Typing
 * errors are considered only if nothing else matches.
 * @param {Entry[]} entries
 * @param {string} wanted
 */
export function searched(entries, wanted) {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const found = ranked(entries, (entry) => scoreOf(entry, words, wordScore));
  return found.length > 0 ? found : ranked(entries, (entry) => scoreOf(entry, words, typoScore));
}

/**
 * @param {Entry[]} entries
 * @param {(entry: Entry) => number} score
 */
function ranked(entries, score) {
  return entries
    .map((entry) => ({ entry, score: score(entry) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => entry);
}

/**
 * @param {Entry} entry
 * @param {string[]} words
 * @param {(entry: Entry, word: string) => number} scoreOfWord
 */
function scoreOf(entry, words, scoreOfWord) {
  let sum = 0;
  for (const word of words) {
    const score = scoreOfWord(entry, word);
    if (score === 0) return 0;
    sum += score;
  }
  // Operations come before the objects that they return.
  if (entry.m === undefined && entry.p.startsWith('Object of')) sum /= 2;
  // With equal scores, the shorter title is closer to the query.
  return sum - entry.t.length / 100;
}

/**
 * @param {Entry} entry
 * @param {string} word
 */
function wordScore(entry, word) {
  const others = SYNONYMS.flatMap(([known, others]) => (known.startsWith(word) && word.length > 2 ? others : []));
  return Math.max(exactScore(entry, word), ...others.map((other) => SYNONYM * exactScore(entry, other)));
}

/**
 * @param {Entry} entry
 * @param {string} word
 */
function exactScore({ t, m = '', p, n = '', w }, word) {
  const [title, method, place, name] = [t.toLowerCase(), m.toLowerCase(), p.toLowerCase(), n.toLowerCase()];
  return Math.max(
    name === word ? 100 : name.startsWith(word) ? 40 : name.includes(word) ? 20 : 0,
    startsWord(title, word) ? 50 : title.includes(word) ? 15 : 0,
    method === word ? 30 : 0,
    place.includes(word) ? 25 : 0,
    startsWord(w, word) ? 8 : 0,
  );
}

/**
 * @param {Entry} entry
 * @param {string} word
 */
function typoScore(entry, word) {
  const exact = wordScore(entry, word);
  if (exact > 0 || word.length < 4) return exact;
  const near = [entry.t, entry.n ?? '', entry.w]
    .flatMap((text) => text.split(/\s+|(?<=[a-z])(?=[A-Z])/))
    .filter((other) => isNear(other.toLowerCase(), word));
  return TYPO * Math.max(0, ...near.map((other) => wordScore(entry, other.toLowerCase())));
}

/**
 * Whether the edit distance is at most one letter, or two in long words: insertion, deletion, substitution or
 * transposition.
 * @param {string} one
 * @param {string} other
 */
function isNear(one, other) {
  const most = other.length > 7 ? 2 : 1;
  if (Math.abs(one.length - other.length) > most) return false;
  /** @type {(row: number[], index: number) => number} */
  const at = (row, index) => row[index] ?? Number.POSITIVE_INFINITY;
  /** @type {number[]} */
  let before = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next[j] = Math.min(
        at(row, j) + 1,
        at(next, j - 1) + 1,
        at(row, j - 1) + (isSame ? 0 : 1),
        isSwapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, row] = [row, next];
  }
  return at(row, other.length) <= most;
}

/**
 * @param {string} text
 * @param {string} word
 */
const startsWord = (text, word) => text.startsWith(word) || text.includes(` ${word}`);
