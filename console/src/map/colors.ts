export type Theme = 'light' | 'dark';

/** Colours for the map and its canvas, which CSS cannot style. In sync with ui/theme.css. */
export interface MapColors {
  readonly water: string;
  readonly land: string;
  readonly coast: string;
  readonly border: string;
  readonly grid: string;
  readonly label: string;
  readonly country: string;
  readonly ink: string;
  readonly surface: string;
  readonly moving: string;
  readonly stopped: string;
  readonly offline: string;
  readonly accent: string;
  readonly fence: string;
  readonly shadow: string;
}

const LIGHT: MapColors = {
  water: '#d5e3ea',
  land: '#f6f7f4',
  coast: '#b9cdd6',
  border: '#c3ccd2',
  grid: '#8fa3b0',
  label: '#4f5e69',
  country: '#8b98a2',
  ink: '#15202a',
  surface: '#ffffff',
  moving: '#12805a',
  stopped: '#2f6fc4',
  offline: '#77838e',
  accent: '#12704f',
  fence: '#6d5bd0',
  shadow: 'rgba(16, 32, 44, 0.28)',
};

const DARK: MapColors = {
  water: '#0b1218',
  land: '#18222b',
  coast: '#2a3843',
  border: '#33424e',
  grid: '#5d7180',
  label: '#9aa9b5',
  country: '#667684',
  ink: '#e8eef3',
  surface: '#10171d',
  moving: '#4cc79a',
  stopped: '#7db4f5',
  offline: '#7d8a96',
  accent: '#4cc79a',
  fence: '#a597ff',
  shadow: 'rgba(0, 0, 0, 0.55)',
};

export const colorsOf = (theme: Theme): MapColors => (theme === 'dark' ? DARK : LIGHT);
