import { map } from './en/map.ts';
import { shell } from './en/shell.ts';
import { signing } from './en/signing.ts';
import { ui } from './en/ui.ts';

/** Every text of the console by its area: `t.map.search`. What depends on something is a function. */
export const t = {
  map,
  shell,
  signing,
  ui,
};

/** What a translation has to bring. */
export type Texts = typeof t;
