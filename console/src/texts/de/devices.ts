import type { Texts } from '../translation.ts';

export const devices: Texts['devices'] = {
  title: 'Geräte',
  search: 'Geräte suchen',
  add: 'Gerät hinzufügen',
  filterByTag: 'Schlagwort',
  anyValue: (name) => `${name}: beliebiger Wert`,
  filters: 'Schlagwörter, nach denen gefiltert wird',
  endFilter: (tag) => `Nicht mehr nach ${tag} filtern`,
  list: 'Geräte',
  none: 'Noch keine Geräte',
  noneHint: 'Fügen Sie ein Telefon, einen Tracker oder ein simuliertes Gerät hinzu und sehen Sie es auf der Karte.',
  noMatch: 'Keine Geräte gefunden',
  noMatchHint: 'Kein Gerät hat einen Namen, einen Typ oder ein Schlagwort, auf die Suche und Filter passen.',
  name: 'Name',
  state: 'Status',
  speed: 'Tempo',
  battery: 'Akku',
  heard: 'Zuletzt gesehen',
  never: 'Nie',
  sortBy: (column) => `Nach ${column} sortieren`,
  count: (shown, all) => {
    const unit = all === '1' ? 'Gerät' : 'Geräte';
    return shown === all ? `${all} ${unit}` : `${shown} von ${all === '1' ? '1 Gerät' : `${all} Geräten`}`;
  },
  onMap: 'Auf der Karte zeigen',
  shared: 'Für Sie freigegeben',
};
