import type { Texts } from '../../translation.ts';

export const dashboard: Texts['dashboard'] = {
  title: 'Vue d’ensemble',
  lead: 'Ce qui bouge, ce qui se tait et ce qui a besoin de vous.',
  group: 'Groupe',
  now: 'Appareils en ce moment',
  none: 'Pas encore d’appareils',
  noneText: 'Ajoutez un appareil pour voir ici ce qu’il fait.',
  noneSilent: 'Tous les appareils ont donné signe récemment.',
  neverHeard: 'jamais entendu',
  noneLow: 'Aucune batterie n’est faible.',
  alarms: 'Non acquittées',
  noneOpen: 'Aucun avertissement n’attend quelqu’un.',
  distance: 'Distance',
  silent: (number) => `Silencieux : ${number}`,
  batteries: (number) => `Batteries faibles : ${number}`,
  more: (number) => `${number} de plus`,
};
