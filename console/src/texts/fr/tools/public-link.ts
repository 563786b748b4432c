import type { Texts } from '../../translation.ts';

export const publicLink: Texts['publicLink'] = {
  waiting: 'Un instant…',
  unnamed: 'Position en direct',
  mapLabel: (name) => `Carte avec la position de ${name}`,
  live: 'En direct',
  lastSeen: (ago) => `Vu ${ago}`,
  neverSeen: 'Pas encore vu. Cette page montre la position dès qu’il y en a une.',
  still: 'À l’arrêt',
  away: 'Pas de connexion. Cette page reprend dès que vous êtes à nouveau en ligne.',
  there: (place) => `Arrivé : ${place}`,
  far: (distance, place) => `${distance} à vol d’oiseau jusqu’à ${place}`,
  time: (duration) => `Environ ${duration} à cette vitesse`,
  destination: 'l’arrivée',
  until: (time) => `Cette page prend fin ${time}`,
  ended: 'Ce lien a pris fin',
  endedText:
    'Il était ouvert pour un temps limité, ou a été retiré. Demandez-en un nouveau à la personne qui l’a envoyé.',
  incomplete: 'Ce lien est incomplet',
  incompleteText: 'Une partie de l’adresse manque. Copiez à nouveau le lien entier, jusqu’au dernier caractère.',
  crowded: 'Beaucoup de monde regarde cette page',
  crowdedText: 'Cette page réessaie d’elle-même dans un instant.',
  center: 'Centrer la carte',
  madeWith: 'Trackway',
};
