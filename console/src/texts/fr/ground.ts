import type { Texts } from '../translation.ts';

export const ground: Texts['ground'] = {
  layers: 'Couches de la carte',
  world: 'Carte du monde',
  streets: 'Rues',
  satellite: 'Satellite',
  region: (name) => name.replace(/\.pmtiles$/, ''),
  failed: 'Le plan des rues n’a pas pu être chargé. Vous voyez la carte intégrée.',
  retry: 'Réessayer',
  foreign: (hosts) =>
    `Ce style charge aussi des données de ${hosts}. Un administrateur peut l’autoriser dans les paramètres.`,
  choose: 'Choisir une autre carte',
  noStreets: 'Cette carte n’a pas encore de rues.',
  chooseStreets: 'Choisir une carte',

  title: 'Carte',
  lead: 'Ce que les cartes montrent sous vos appareils, pour tous les utilisateurs de ce serveur.',
  fixed: 'L’exploitant a fixé la carte par TRACKWAY_MAP_STYLE ; elle ne se change pas ici.',
  choices: {
    world: 'Carte du monde intégrée',
    public: 'Plan public des rues',
    style: 'Style de carte propre',
    region: 'Fichier de carte sur ce serveur',
  },
  hints: {
    world: 'Côtes, frontières et villes. Pas de rues. Rien n’est chargé d’ailleurs.',
    public: (host) =>
      `Les rues du monde entier par OpenFreeMap, d’après les données d’OpenStreetMap, gratuitement. Les navigateurs les chargent de ${host}, qui voit donc leur adresse IP et la zone regardée.`,
    style:
      'Tout style MapLibre, par exemple celui de votre propre serveur de tuiles. Les navigateurs le chargent de là.',
    region:
      'Des rues sans internet. Placez un fichier PMTiles avec le fond Protomaps de votre région dans le dossier de données du serveur, puis choisissez-le ici.',
  },
  style: 'URL du style',
  stylePlaceholder: 'https://tiles.example.com/style.json',
  hosts: 'Autres serveurs du style',
  hostsHint: 'D’où il charge tuiles, polices et icônes, si ce n’est pas du même serveur. Séparez-les par des espaces.',
  file: 'Fichier de carte',
  noFiles: 'Il n’y a pas encore de fichier .pmtiles dans le dossier de données.',
  megabytes: (megabytes) => `${megabytes} Mo`,
  ask: (host) => `Les navigateurs de tous les utilisateurs chargeront la carte de ${host}.`,
  save: 'Utiliser cette carte',
  first: 'Voulez-vous des rues sur la carte ?',
  later: 'Plus tard',
};
