import type { Texts } from '../../translation.ts';

export const deviceFirmware: Texts['deviceFirmware'] = {
  title: 'Micrologiciel',
  current: 'Version installée',
  unknown: 'Pas encore transmise',
  channel: 'Canal',
  wanted: 'Version demandée',
  urgency: 'Urgence',
  urgencies: { 0: 'Non précisée', 2: 'Mineure', 4: 'Majeure', 6: 'Critique', 9: 'Forcée' },
  state: 'Mise à jour',
  states: {
    none: 'Aucune demandée',
    waiting: 'En attente de l’appareil',
    told: (times) => `Annoncée ${times} fois`,
  },
  ask: 'Demander une mise à jour…',
  cancel: 'Annuler la mise à jour',
  cancelled: (build) => `La mise à jour vers ${build} a été annulée`,
  undo: 'Annuler',
  dialogTitle: 'Demander une mise à jour du micrologiciel',
  lead: 'L’appareil en est informé à sa prochaine connexion et installe la version par son propre service de mise à jour.',
  build: 'Version',
  buildHint: 'Une version connue du service de mise à jour de l’appareil, ou « latest ».',
  channelHint: 'Vide : le canal utilisé actuellement.',
  forcedHint: 'L’appareil doit l’installer, même si sa batterie est faible.',
  action: 'Demander la mise à jour',
  asked: (build) => `Une mise à jour vers ${build} a été demandée`,
};
