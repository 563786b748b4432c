import type { Texts } from '../../translation.ts';

export const deviceTimeline: Texts['deviceTimeline'] = {
  earlier: 'Jours précédents',
  later: 'Jours suivants',
  span: (from, to) => `${from} – ${to}`,
  show: 'Ce qui est affiché',
  all: 'Tout',
  groups: { drives: 'Trajets', alarms: 'Notifications', messages: 'Messages', device: 'Appareil' },
  list: (day) => `Ce qui s’est passé : ${day}`,
  empty: 'Rien ne s’est passé ces jours-là',
  emptyHint: 'Choisissez des jours précédents, ou dans le calendrier un jour avec un point.',
  emptyOfGroup: 'Rien de ce genre ces jours-là',
  showAll: (count) => `Afficher les ${count}`,
  trip: (distance) => `Trajet, ${distance}`,
  stop: (length) => `Arrêt, ${length}`,
  fromTo: (from, to) => `${from} – ${to}`,
  ignitionOn: 'Contact mis',
  ignitionOff: 'Contact coupé',
  retracted: 'Retirée',
};
