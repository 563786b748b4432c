import type { Texts } from '../translation.ts';

export const ui: Texts['ui'] = {
  close: 'Fermer',
  cancel: 'Annuler',
  save: 'Enregistrer',
  delete: 'Supprimer',
  dismiss: 'Ignorer',
  clear: 'Effacer',
  copy: 'Copier',
  copied: 'Copié',
  loading: 'Chargement',
  retry: 'Réessayer',
  failed: 'Échec du chargement',
  unreachable: 'Le serveur est injoignable. Vérifiez votre connexion, puis réessayez.',
  tooSlow: 'Le serveur a mis trop de temps à répondre. Réessayez dans un instant.',
  unknownProblem: 'Un problème est survenu. Réessayez. S’il persiste, consultez le journal du serveur.',
  pages: 'Pages',
  page: (number) => `Page ${number}`,
  previous: 'Page précédente',
  next: 'Page suivante',
};
