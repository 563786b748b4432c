import { find, findAll, showCode } from './dom.js';
import { samplesOf } from './samples.js';

/**
 * @typedef {import('./samples.js').Called} Called
 * @typedef {import('./samples.js').CalledParameter & { choices?: string[], isRequired?: true }} FormParameter
 * @typedef {Omit<Called, 'parameters'> & {
 *   summary: string,
 *   asksFirst: boolean,
 *   filled: import('./samples.js').Filled,
 *   body?: 'required' | 'optional',
 *   parameters: FormParameter[],
 * }} Shown what the page knows of an operation
 * @typedef {keyof import('./samples.js').Samples} Language
 */

const KEY = 'trackway.reference.language';
/** @type {Language[]} */
const LANGUAGES = ['curl', 'typescript', 'python'];

/** @type {Language} */
let language = 'curl';

/** @type {Map<Element, import('./samples.js').Filled>} */
const filledIn = new Map();

/** Shows each request in the language that the user selected, with the address of this server. */
export function startSamples() {
  try {
    const kept = LANGUAGES.find((one) => one === localStorage.getItem(KEY));
    if (kept !== undefined) language = kept;
  } catch {
    // Storage is unavailable: the first language is used.
  }
  for (const button of findAll('.languages button')) button.addEventListener('click', () => choose(button));
  showAll();
}

/** @param {HTMLElement} button */
function choose(button) {
  const top = button.getBoundingClientRect().top;
  language = LANGUAGES.find((one) => one === button.dataset.language) ?? 'curl';
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // Storage is unavailable: the selection is lost when the page closes.
  }
  showAll();
  // Samples above have other heights now: keep the pressed button at its place on the screen.
  scrollBy(0, button.getBoundingClientRect().top - top);
}

function showAll() {
  for (const button of findAll('.languages button'))
    button.setAttribute('aria-pressed', String(button.dataset.language === language));
  for (const section of findAll('.operation'))
    showSample(section, filledIn.get(section) ?? operationIn(section).filled);
}

/**
 * @param {HTMLElement} section
 * @param {import('./samples.js').Filled} filled
 */
export function showSample(section, filled) {
  filledIn.set(section, filled);
  showCode(find('.request code', section), samplesOf(operationIn(section), filled, location.origin)[language]);
}

/** @type {WeakMap<Element, Shown>} */
const read = new WeakMap();

/**
 * @param {HTMLElement} section
 * @returns {Shown}
 */
export function operationIn(section) {
  const known = read.get(section) ?? JSON.parse(section.dataset.operation ?? '{}');
  read.set(section, known);
  return known;
}
