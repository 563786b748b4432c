import type { Texts } from '../../translation.ts';

export const deviceConfig: Texts['deviceConfig'] = {
  waits: 'Changements en attente.',
  waitsSince: 'L’appareil les applique à sa prochaine connexion. Modifié',
  taken: 'À jour. L’appareil a confirmé ces réglages',
  never: 'L’appareil n’a encore confirmé aucun réglage.',
  sendAgain: 'Renvoyer',
  sentAgain: 'Les réglages seront renvoyés à la prochaine connexion',
  saved: 'Enregistré. L’appareil applique les changements à sa prochaine connexion.',
  changes: (count) => (count < 2 ? `${count} changement non enregistré` : `${count} changements non enregistrés`),
  discard: 'Abandonner',
  save: 'Enregistrer',
  viewOnly:
    'Vous pouvez consulter ces réglages. Pour les changer, demandez au propriétaire le droit de gérer cet appareil.',
  usually: (value) => `Par défaut : ${value}.`,
  makes: (time) => `Soit ${time}.`,
  bounds: (low, high) => `Saisissez un nombre entier de ${low} à ${high}.`,
  atLeast: (low) => `Saisissez un nombre entier d’au moins ${low}.`,

  sections: {
    contact: 'Transmission',
    wake: 'Éveil et veille',
    movement: 'Mouvement',
    position: 'Localisation',
    behavior: 'Radio et énergie',
    timed: 'Programme',
    orders: 'Commandes uniques',
  },
  seconds: 's',
  minutes: 'min',
  halfMinutes: '× 30 s',
  mah: 'mAh',

  fields: {
    interval: {
      label: 'Intervalle, éveillé',
      hint: 'Plus court : la carte suit de plus près, mais la batterie s’use.',
    },
    sleepInterval: {
      label: 'Intervalle, en veille',
      hint: 'L’appareil se connecte à cette cadence même s’il ne se passe rien.',
    },
    packing: {
      label: 'Positions par transmission',
      hint: 'Plus de positions économisent l’énergie mais arrivent plus tard.',
    },
    transmitTimeout: { label: 'Délai de transmission', hint: 'En unités de 30 secondes. 0 : l’appareil décide.' },
    movementSensitivity: {
      label: 'Sensibilité au mouvement',
      hint: '1 détecte le moindre mouvement, 10 seulement les forts.',
    },
    movementSensitivity2: {
      label: 'Sensibilité au mouvement, éveillé',
      hint: '1 détecte le moindre mouvement, 10 seulement les forts.',
    },
    debounce: {
      label: 'Durée du mouvement',
      hint: 'Durée avant qu’un mouvement compte : 1 aussitôt, 10 le plus long.',
    },
    stopTimeout: { label: 'À l’arrêt après', hint: 'Temps sans mouvement avant que l’appareil compte comme arrêté.' },
    gpsTimeout: {
      label: 'Délai GPS',
      hint: 'Durée de recherche des satellites avant de passer au Wi-Fi ou au réseau mobile.',
    },
    gpsStabilize: { label: 'Stabilisation GPS', hint: 'Plus long : plus précis, mais plus d’énergie.' },
    gpsCheckInterval: { label: 'Nouvel essai GPS', hint: 'Cadence des essais tant qu’il n’y a pas de GPS.' },
    tolerancePercentage: {
      label: 'Énergie par transmission',
      hint: 'Charge maximale qu’une transmission peut consommer.',
    },
    homeWifiNetwork: { label: 'Wi-Fi du domicile', hint: 'L’appareil est à la maison quand il détecte ce réseau.' },
    wakeAction: { label: 'Action à l’éveil', hint: 'normal, available ou une autre que l’appareil connaît.' },
    alertAction: {
      label: 'Action en cas d’alerte',
      hint: 'nothing, available, lockOn ou une autre que l’appareil connaît.',
    },
    safeZoneId: { label: 'Zone sûre', hint: 'Un géorepère où l’appareil peut se mettre en veille.' },
    reset: { label: 'Redémarrer', hint: 'Une fois, à la prochaine connexion.' },
    command: { label: 'Commande', hint: 'Un numéro de commande que l’appareil connaît. Envoyé une fois.' },
  },
  noZone: 'Aucune',
  unknown: 'inconnue',
  resets: {
    none: 'Non',
    0: 'Redémarrer',
    1: 'Redémarrer et effacer les réglages gardés',
    2: 'Redémarrer et effacer les données Bluetooth',
  },

  wakeReasons: 'S’éveiller quand',
  reasons: {
    move: 'l’appareil bouge',
    bluetooth: 'une balise Bluetooth est perdue',
    geofence: 'l’appareil quitte sa zone sûre',
    drop: 'l’appareil tombe',
  },

  bits: {
    behavior: [
      { bit: 1, label: 'Réseau mobile actif, éveillé', hint: 'L’appareil est joignable aussitôt, mais consomme plus.' },
      {
        bit: 2,
        label: 'Réseau mobile actif, en veille',
        hint: 'L’appareil est toujours joignable, mais la batterie se vide vite.',
      },
      { bit: 4, label: 'GPS actif, éveillé', hint: 'Des positions sans attendre les satellites.' },
      { bit: 8, label: 'Sans aide du Wi-Fi', hint: 'N’utilise pas les réseaux voisins pour améliorer les positions.' },
      {
        bit: 16,
        label: 'Répéter la mise en veille',
        hint: 'Transmet la mise en veille deux fois, au cas où la première serait perdue.',
      },
      { bit: 32, label: 'Bluetooth désactivé', hint: 'Ne détecte ni balises ni capteurs.' },
      { bit: 64, label: 'Wi-Fi désactivé', hint: 'Ne peut pas se localiser par Wi-Fi à l’intérieur.' },
      { bit: 128, label: 'GPS intelligent', hint: 'Cherche les satellites selon le mouvement.' },
    ],
    modeControl: [
      { bit: 1, label: 'Départ et arrivée seulement', hint: 'Transmet seulement où un trajet commence et finit.' },
      {
        bit: 2,
        label: 'Rester éveillé après une alerte',
        hint: 'Jusqu’à ce que quelqu’un remette l’appareil en veille.',
      },
      { bit: 4, label: 'Position si le Bluetooth est perdu', hint: 'Transmet sa position même en veille.' },
      {
        bit: 8,
        label: 'Sans recherche Bluetooth régulière',
        hint: 'Cherche les balises seulement s’il se passe quelque chose.',
      },
      {
        bit: 16,
        label: 'Envoyer le stock à la connexion',
        hint: 'Garde les positions jusqu’à la prochaine connexion régulière.',
      },
      { bit: 32, label: 'GPS désactivé', hint: 'Se localise seulement par Wi-Fi et réseau mobile.' },
      { bit: 64, label: 'Bouton marche/arrêt', hint: 'Le bouton allume et éteint l’appareil au lieu d’alerter.' },
      { bit: 128, label: 'Toujours actif', hint: 'Jamais en veille. Pour les appareils alimentés.' },
    ],
    modeControl2: [
      { bit: 1, label: 'Transmettre les arrêts aussitôt', hint: 'N’attend pas la prochaine connexion.' },
      {
        bit: 2,
        label: 'Temps d’arrêt en minutes',
        hint: '« À l’arrêt après » compte des minutes au lieu de secondes.',
      },
      { bit: 4, label: 'Budget d’énergie strict', hint: 'Saute les transmissions qui le dépasseraient.' },
      { bit: 8, label: '2G seulement', hint: 'N’utilise pas de réseaux plus rapides.' },
      { bit: 16, label: 'Sans optimisation GPS', hint: 'Transmet les positions brutes, sans lissage.' },
      { bit: 32, label: 'Détecter les chocs', hint: 'Un choc violent émet une alerte.' },
      { bit: 64, label: 'Balise UWB', hint: 'D’autres appareils peuvent mesurer leur distance.' },
      { bit: 128, label: 'Recherche UWB', hint: 'Mesure sa distance aux balises.' },
    ],
  },
  bitGroups: { behavior: 'Radio', modeControl: 'Mode de fonctionnement', modeControl2: 'Mode, avancé' },

  timedLead: 'Les heures sont en UTC.',
  noTimed: 'Aucune action programmée.',
  addTimed: 'Ajouter une heure',
  removeTimed: 'Retirer cette heure',
  time: 'Heure (UTC)',
  day: 'Jour',
  days: ['Dimanche', 'Lundi', 'Mardi', 'Mercredi', 'Jeudi', 'Vendredi', 'Samedi', 'Chaque jour'],
  action: 'Action',
  actions: ['Aucune', 'Veille', 'Éveil', 'Transmettre'],
};
