import type { Texts } from '../../translation.ts';

export const deviceTags: Texts['deviceTags'] = {
  title: 'Étiquettes',
  none: 'Aucune étiquette pour l’instant. Elles groupent les appareils et servent de filtre dans leur liste.',
  list: 'Étiquettes de cet appareil',
  name: 'Nom',
  namePlaceholder: 'depot',
  value: 'Valeur',
  valuePlaceholder: 'nord',
  valueHint: 'La valeur est facultative. Une étiquette a une valeur : une nouvelle la remplace.',
  add: 'Ajouter',
  remove: (tag) => `Retirer ${tag}`,
  removed: (tag) => `« ${tag} » a été retirée`,
  undo: 'Annuler',
  colonInName: 'Un nom ne peut pas contenir deux-points. Saisissez la suite comme valeur.',
  tooLong: 'Nom et valeur peuvent avoir 99 caractères ensemble.',
  devicesWith: (tag) => `Appareils avec ${tag}`,
};
