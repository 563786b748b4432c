import type { Texts } from '../../translation.ts';

export const deviceCommands: Texts['deviceCommands'] = {
  send: 'Envoyer une commande',
  lead: 'Ce traceur comprend des commandes.',
  commands: {
    position: {
      label: 'Demander la position',
      title: (device) => `Demander la position de ${device} ?`,
      text: 'Le traceur transmet où il est maintenant.',
      action: 'Demander la position',
    },
    reboot: {
      label: 'Redémarrer…',
      title: (device) => `Redémarrer ${device} ?`,
      text: 'Le traceur redémarre et ne transmet rien pendant environ une minute.',
      action: 'Redémarrer',
    },
    interval: {
      label: 'Régler l’intervalle…',
      title: (device) => `À quelle cadence ${device} doit-il transmettre ?`,
      text: 'Des intervalles plus courts consomment plus de batterie et de données.',
      action: 'Régler l’intervalle',
    },
    engineStop: {
      label: 'Couper le moteur…',
      title: (device) => `Couper le moteur de ${device} ?`,
      text: 'Le traceur coupe l’arrivée de carburant ou le contact.',
      action: 'Continuer…',
    },
    engineResume: {
      label: 'Rétablir le moteur…',
      title: (device) => `Rétablir le moteur de ${device} ?`,
      text: 'Le traceur rétablit le carburant ou le contact. Le véhicule peut redémarrer.',
      action: 'Rétablir le moteur',
    },
    output: {
      label: 'Commuter une sortie…',
      title: (device) => `Commuter une sortie de ${device} ?`,
      text: 'Vérifiez ce qui y est branché : sur certains véhicules, une sortie coupe le moteur.',
      action: 'Commuter la sortie',
    },
    alarmArm: {
      label: 'Armer ou désarmer l’alarme…',
      title: (device) => `Armer l’alarme de ${device} ?`,
      text: 'L’alarme du traceur lui-même, pas les déclencheurs de ce serveur.',
      action: 'Envoyer',
    },
  },
  sent: 'Commande envoyée. Son état figure avec les messages.',
  seconds: 'Transmettre toutes les',
  secondsUnit: 's',
  badSeconds: (most) => `Saisissez un nombre entier de 1 à ${most}.`,
  output: 'Numéro de la sortie',
  badOutput: (most) => `Saisissez un nombre entier de 1 à ${most}.`,
  on: 'Commuter',
  onChoices: { on: 'Marche', off: 'Arrêt' },
  arm: 'Alarme',
  armChoices: { on: 'Armer', off: 'Désarmer' },
  giveUp: 'Abandonner après',
  giveUpHint: 'Si le traceur n’est pas connecté, la commande attend aussi longtemps.',
  stop: {
    judged: (speed) =>
      `La vitesse est vérifiée à l’envoi : le moteur n’est coupé que si une position des 60 dernières secondes montre que le véhicule ne dépasse pas ${speed}.`,
    force: 'Couper à toute vitesse',
    forceHint: 'Ne pas vérifier la vitesse, même si personne ne sait où est le véhicule.',
    forceWarning: 'Un moteur coupé en route peut tuer. Freins et direction peuvent perdre leur assistance.',
    sureTitle: (device) => `Vraiment couper le moteur de ${device} ?`,
    sure: (speed) =>
      `Le moteur s’arrête dans les dix minutes, dès qu’une nouvelle position montre que le véhicule ne dépasse pas ${speed}. Il ne redémarre pas avant que vous le rétablissiez.`,
    sureForced: (device) =>
      `Le moteur de ${device} s’arrête dès que le traceur reçoit la commande, à toute vitesse. Il ne redémarre pas avant que vous le rétablissiez.`,
    action: 'Couper le moteur',
    forcedAction: 'Couper à toute vitesse',
  },
};
