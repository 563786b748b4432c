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
  done: (stored, known, refused) => `Positions : ${stored} importées, ${known} déjà connues, ${refused} refusées.`,
  interrupted: (name, sent) =>
    `L’importation de « ${name} » a été interrompue. Positions envoyées : ${sent}. Choisissez de nouveau le même fichier pour la reprendre là.`,
  building: 'Les trajets et arrêts sont en cours de calcul. Vous pouvez fermer cette fenêtre.',
  built: 'Les trajets et arrêts sont calculés.',
};
