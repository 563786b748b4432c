import type { Texts } from '../../translation.ts';

export const dashboard: Texts['dashboard'] = {
  title: 'Überblick',
  lead: 'Was sich bewegt, was schweigt und was Sie braucht.',
  group: 'Gruppe',
  now: 'Geräte jetzt',
  none: 'Noch keine Geräte',
  noneText: 'Fügen Sie ein Gerät hinzu, um hier zu sehen, was es tut.',
  noneSilent: 'Alle Geräte haben sich kürzlich gemeldet.',
  neverHeard: 'nie gemeldet',
  noneLow: 'Kein Akku ist schwach.',
  alarms: 'Nicht quittiert',
  noneOpen: 'Keine Warnung wartet auf jemanden.',
  distance: 'Strecke',
  silent: (number) => `Stumm: ${number}`,
  batteries: (number) => `Schwache Akkus: ${number}`,
  more: (number) => `${number} weitere`,
};
