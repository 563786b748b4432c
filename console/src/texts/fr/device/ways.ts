import type { Texts } from '../../translation.ts';

export const deviceWays: Texts['deviceWays'] = {
  triggersLead: 'Les déclencheurs vous préviennent quand quelque chose arrive à cet appareil.',
  addTrigger: 'Ajouter un déclencheur',
  noTriggers: 'Aucun déclencheur',
  noTriggersHint:
    'Soyez prévenu quand cet appareil quitte un lieu, va trop vite, a peu de batterie ou ne transmet plus.',
  lastFired: 'Dernier déclenchement',
  neverFired: 'Jamais déclenché',
  allNotifications: 'Voir les notifications',

  forwardingLead: 'Les transferts envoient les données de cet appareil à vos propres systèmes dès leur arrivée.',
  addForwarder: 'Ajouter un transfert',
  noForwarders: 'Aucun transfert',
  noForwardersHint: 'Envoyez positions, mesures, messages et notifications à un webhook, une file ou un topic MQTT.',
  kind: 'Canal',
  types: 'Données à envoyer',
  type: {
    newLoc: 'Positions',
    newReading: 'Mesures',
    newMsg: 'Messages de l’appareil',
    notification: 'Notifications',
  },
  raw: 'JSON simple',
  rawHint: 'Envoyer les données sans enveloppe, pour les destinataires qui n’en attendent pas.',
  corrections: 'Envoyer les corrections',
  correctionsHint: 'Signaler aussi quand des données ultérieures retirent une notification.',
  create: 'Ajouter le transfert',
  createTitle: 'Ajouter un transfert',
  editTitle: 'Modifier le transfert',

  switchOn: 'Activer',
  switchOff: 'Désactiver',
  works: 'Fonctionne',
  unused: 'Pas encore utilisé',
  failing: 'En échec',
  waits: 'En retard',
  isOff: 'Désactivé',
  waiting: 'En attente',
  waitingCount: (count) => (count === '0' || count === '1' ? `${count} élément` : `${count} éléments`),
  lag: 'Retard',
  noLag: 'Aucun',
  lastSuccess: 'Dernier envoi',
  never: 'Jamais',
  removeTitle: 'Retirer ce transfert ?',
  removeText: 'Ce qu’il n’a pas encore envoyé est perdu.',
  removeAction: 'Retirer',
  removed: 'Transfert retiré',
  secretTitle: 'Secret du webhook',
  secretText:
    'Les requêtes sont signées avec ce secret au format Standard Webhooks. Donnez-le au destinataire pour qu’il puisse les vérifier.',
  done: 'Terminé',
  viewOnly:
    'Vous pouvez consulter cet appareil. Pour transférer ses données, demandez au propriétaire le droit de le gérer.',

  quarantineLead:
    'Données de cet appareil qui ne peuvent pas être exactes, avec la raison. Elles sont gardées ici, sans effet sur les positions, trajets ou déclencheurs.',
  quarantineEmpty: 'Rien en quarantaine',
  quarantineEmptyHint: 'Toutes les données transmises par cet appareil sont plausibles.',
  part: {
    points: 'Position',
    readings: 'Mesure',
    gatewayReadings: 'Détection',
    messages: 'Message',
    unreadable: 'Illisible',
  },
  report: 'Données transmises',
};
