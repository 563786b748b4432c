import { createStore, useStore } from './store.ts';
import { readUnits, type Units, usualUnits } from './units.ts';

/** Settings of this browser. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  readonly units: Units;
  /** Minutes without contact after which a device counts as offline. */
  readonly offlineAfterMin: number;
  readonly showsFences: boolean;
  /** The map background selected in this browser; undefined for the server's default. */
  readonly ground?: string;
  /** The address of this server that codes and links for others contain. */
  readonly address?: string;
  readonly showsSatellite?: boolean;
  /** Whether to show the recent path of moving devices; default true. */
  readonly showsTrails?: boolean;
}

const KEY = 'trackway.preferences';
const DEFAULTS: Preferences = {
  theme: 'system',
  units: usualUnits(navigator.language),
  offlineAfterMin: 15,
  showsFences: true,
};

export const preferences = createStore<Preferences>(kept());

export const usePreferences = () => useStore(preferences);

export function prefer(change: Partial<Preferences>): void {
  preferences.set((now) => ({ ...now, ...change }));
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences.get()));
  } catch {
    // Without storage, the setting is lost when the page closes.
  }
}

function kept(): Preferences {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return { ...DEFAULTS, ...stored, units: readUnits(stored.units, DEFAULTS.units) };
  } catch {
    return DEFAULTS;
  }
}

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

/** The effective theme. */
export const themeNow = (): 'light' | 'dark' => {
  const { theme } = preferences.get();
  return theme === 'system' ? (systemIsDark.matches ? 'dark' : 'light') : theme;
};

export const shownTheme = createStore(themeNow());

/** Applies the theme to the page, now and at each change. */
export function followTheme(): void {
  const show = () => {
    const { theme } = preferences.get();
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    shownTheme.set(themeNow());
  };
  show();
  preferences.subscribe(show);
  systemIsDark.addEventListener('change', show);
}
