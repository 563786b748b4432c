import { find } from './dom.js';

const KEY = 'trackway.preferences';

const preferences = () => {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}');
  } catch {
    return {};
  }
};

/** The theme follows the system unless the user selected one, here or in the console. */
export function startTheme() {
  const choice = /** @type {HTMLSelectElement} */ (find('#theme'));
  const root = document.documentElement;
  choice.value = root.dataset.theme ?? 'system';
  choice.addEventListener('change', () => {
    if (choice.value === 'system') delete root.dataset.theme;
    else root.dataset.theme = choice.value;
    try {
      localStorage.setItem(KEY, JSON.stringify({ ...preferences(), theme: choice.value }));
    } catch {
      // Storage is unavailable: the selection is lost when the page closes.
    }
  });
}
