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

/** Finds operations and parts of guides by what is typed. `/` and Ctrl K lead to the field. */
export function startSearch() {
  const input = /** @type {HTMLInputElement} */ (find('#search'));
  const list = find('#results');
  const told = find('#found');
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
    told.textContent = '';
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
    told.textContent = COUNTS[found.length] ?? `${found.length} results`;
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

/**
 * Each word must be found. A word in the title counts most, at the beginning of a word more than inside of one.
 * @param {Entry[]} entries
 * @param {string} wanted
 */
export function searched(entries, wanted) {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => entry);
}

/**
 * @param {Entry} entry
 * @param {string[]} words
 */
function scoreOf({ t, m = '', p, n = '', w }, words) {
  const [title, method, place, name] = [t.toLowerCase(), m.toLowerCase(), p.toLowerCase(), n.toLowerCase()];
  let sum = 0;
  for (const word of words) {
    const score = Math.max(
      name === word ? 100 : name.startsWith(word) ? 40 : name.includes(word) ? 20 : 0,
      startsWord(title, word) ? 50 : title.includes(word) ? 15 : 0,
      method === word ? 30 : 0,
      place.includes(word) ? 25 : 0,
      startsWord(w, word) ? 8 : 0,
    );
    if (score === 0) return 0;
    sum += score;
  }
  // Of two that fit alike, the shorter title says more of what was asked for.
  return sum - title.length / 100;
}

/**
 * @param {string} text
 * @param {string} word
 */
const startsWord = (text, word) => text.startsWith(word) || text.includes(` ${word}`);
