import type { Texts } from '../../translation.ts';

export const palette: Texts['palette'] = {
  title: 'Aller à',
  search: 'Rechercher pages et appareils',
  results: 'Résultats',
  devices: 'Appareils',
  pages: 'Pages',
  none: 'Aucun résultat',
  unnamed: (id) => `Appareil ${id}`,
  keys: 'Raccourcis clavier',
  keysLead: 'Ces touches fonctionnent sur toutes les pages tant que vous n’écrivez pas dans un champ.',
  afterwards: 'puis',
  open: 'Rechercher pages et appareils',
  help: 'Afficher les raccourcis clavier',
  close: 'Fermer une fenêtre',
  goTo: (page) => `Aller à : ${page}`,
};
