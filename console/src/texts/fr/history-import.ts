import type { Texts } from '../translation.ts';

export const historyImport: Texts['historyImport'] = {
  title: 'Importer un historique',
  device: 'Pour l’appareil',
  file: 'Fichier',
  hint: 'GPX, KML, GeoJSON, CSV, Google Trajets ou Records.json, ou OwnTracks .rec. Les trajets et arrêts en sont calculés. Personne n’est prévenu.',
  only: 'Seulement cet appareil',
  onlyHint: 'Si le tableau contient les positions de plusieurs appareils : l’identifiant qu’y porte celui à importer.',
  start: 'Importer',
  resume: 'Reprendre',
  stop: 'Arrêter',
  close: 'Fermer',
  progress: (sent) => `Positions envoyées : ${sent}`,
  done: (stored, known, refused) =>
    `Positions : ${stored} importées, ${known} déjà connues, ${refused} refusées. Les trajets et arrêts apparaissent dès qu’ils sont calculés.`,
};
