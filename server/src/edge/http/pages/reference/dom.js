import { piecesOf } from './highlight.js';

/**
 * Creates an element with attributes and children. Strings are never parsed as HTML.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | boolean | ((event: Event) => void)>} [attributes] functions become event listeners
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children);
  return element;
}

/**
 * Shows highlighted code.
 * @param {Element} place
 * @param {string} code
 */
export function showCode(place, code) {
  place.replaceChildren(
    ...piecesOf(code).map(([kind, text]) => (kind === '' ? text : make('span', { class: kind }, text))),
  );
}

/**
 * @template {Element} [E=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [within]
 * @returns {E}
 */
export function find(selector, within = document) {
  const found = within.querySelector(selector);
  if (found === null) throw new Error(`${selector} is missing`);
  return /** @type {E} */ (found);
}

/**
 * @param {string} selector
 * @param {ParentNode} [within]
 * @returns {HTMLElement[]}
 */
export const findAll = (selector, within = document) =>
  [...within.querySelectorAll(selector)].map((one) => /** @type {HTMLElement} */ (one));

/**
 * Opens a dialog, which is removed when it closes.
 * @param {string} title
 * @param {...(Node | string)} children
 */
export function openDialog(title, ...children) {
  const dialog = make(
    'dialog',
    { 'aria-labelledby': 'dialog-title' },
    make('h2', { id: 'dialog-title' }, title),
    ...children,
  );
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
