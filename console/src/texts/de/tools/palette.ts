import type { Texts } from '../../translation.ts';

export const palette: Texts['palette'] = {
  title: 'Gehe zu',
  search: 'Seiten und Geräte suchen',
  results: 'Ergebnisse',
  devices: 'Geräte',
  pages: 'Seiten',
  none: 'Nichts gefunden',
  unnamed: (id) => `Gerät ${id}`,
  keys: 'Tastenkürzel',
  keysLead: 'Diese Tasten gelten auf jeder Seite, solange Sie nicht in ein Feld schreiben.',
  afterwards: 'dann',
  open: 'Seiten und Geräte suchen',
  help: 'Tastenkürzel zeigen',
  close: 'Fenster schließen',
  goTo: (page) => `Gehe zu: ${page}`,
};
