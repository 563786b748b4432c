import { countedIn, number } from '../counting.ts';
import type { Texts } from '../translation.ts';

const many = countedIn('fr');

export const groups: Texts['groups'] = {
  title: 'Groupes',
  lead: 'Un groupe réunit des appareils. Partagez-le pour donner à d’autres accès à tous ses appareils, ou créez une règle pour lui.',
  add: 'Nouveau groupe',
  addBelow: 'Nouveau sous-groupe',
  none: 'Aucun groupe pour l’instant',
  name: 'Nom',
  namePlaceholder: 'Camionnettes',
  parent: 'Dans le groupe',
  top: 'Aucun : premier niveau',
  newTitle: 'Nouveau groupe',
  editTitle: 'Modifier le groupe',
  create: 'Créer le groupe',
  created: (name) => `« ${name} » a été créé`,
  saved: 'Enregistré',
  edit: 'Modifier',
  back: 'Groupes',
  gone: 'Groupe introuvable',
  goneHint: 'Il a été supprimé, ou n’est plus partagé avec vous.',
  count: (count) => (count === 0 ? 'Aucun appareil' : many(count, 'appareil', 'appareils')),
  sharedWithYou: 'Partagé avec vous',
  rights: { view: 'Consulter', manage: 'Gérer', own: 'Propriétaire' },
  below: 'Sous-groupes',

  devices: 'Appareils',
  noDevices: 'Aucun appareil dans ce groupe',
  noDevicesHint: 'Un appareil peut être dans plusieurs groupes.',
  put: 'Ajouter un appareil',
  pick: 'Rechercher un appareil par nom',
  take: (name) => `Retirer ${name} du groupe`,
  taken: (name) => `${name} n’est plus dans le groupe`,
  only: (shown, all) => `Les ${number(shown)} premiers de ${many(all, 'appareil', 'appareils')}`,

  rule: 'Créer une règle',
  sharing: 'Partage',
  notShared: 'Non partagé',
  share: 'Partager',
  shareTitle: 'Partager ce groupe',
  shareHint:
    'Donne accès à tous les appareils de ce groupe et de ses sous-groupes, y compris ceux qui seront ajoutés plus tard.',
  email: 'Adresse e-mail',
  right: 'Droit',
  shared: (who) => `Partagé avec ${who}`,
  unshare: (who) => `Ne plus partager avec ${who}`,
  unshared: (who) => `N’est plus partagé avec ${who}`,

  delete: 'Supprimer…',
  deleteTitle: (name) => `Supprimer « ${name} » ?`,
  deleteText:
    'Ses sous-groupes sont supprimés aussi, et tous leurs partages prennent fin. Les appareils restent. Vous pouvez annuler pendant 30 jours.',
  deleteAction: 'Supprimer le groupe',
  deleted: (name) => `« ${name} » a été supprimé`,
  undo: 'Annuler',
  leave: 'Quitter…',
  leaveTitle: (name) => `Quitter « ${name} » ?`,
  leaveText: 'Vous perdez l’accès à ses appareils, sauf à ceux qui sont partagés avec vous autrement.',
  leaveAction: 'Quitter le groupe',
  left: (name) => `Vous avez quitté « ${name} »`,
};
