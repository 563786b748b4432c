import { devices } from './en/devices.ts';
import { geofences } from './en/geofences.ts';
import { map } from './en/map.ts';
import { shell } from './en/shell.ts';
import { signing } from './en/signing.ts';
import { ui } from './en/ui.ts';
import { welcome } from './en/welcome.ts';

/** Every text of the console by its area: `t.map.search`. What depends on something is a function. */
export const t = {
  devices,
  map,
  geofences,
  shell,
  signing,
  ui,
  welcome,
};

/** What a translation has to bring. */
export type Texts = typeof t;
