import { type Happening, lastingIn, numberedIn, type Wording } from './words.ts';

const many = numberedIn('fr');
const lasting = (seconds: number) =>
  lastingIn(seconds, {
    second: (count) => many(count, 'seconde', 'secondes'),
    minute: (count) => many(count, 'minute', 'minutes'),
    hour: (count) => many(count, 'heure', 'heures'),
    day: (count) => many(count, 'jour', 'jours'),
  });

const crossed = (device: string, { zone, isEntry, lasted }: Happening) => {
  if (lasted > 0)
    return isEntry
      ? `${device} est dans ${zone ?? 'un géorepère'} depuis ${lasting(lasted)}`
      : `${device} est hors ${zone === undefined ? 'd’un géorepère' : `de ${zone}`} depuis ${lasting(lasted)}`;
  return isEntry
    ? `${device} est entré dans ${zone ?? 'un géorepère'}`
    : `${device} a quitté ${zone ?? 'un géorepère'}`;
};

const measured =
  (what: string) =>
  (device: string, { value, below, above }: Happening) =>
    below === undefined
      ? `${what} ${device} dépasse ${above} : ${value}`
      : `${what} ${device} est inférieure à ${below} : ${value}`;

export const fr: Wording = {
  alarms: {
    sos: 'SOS',
    powerCut: 'Coupure d’alimentation',
    powerRestored: 'Alimentation rétablie',
    lowBattery: 'Batterie faible',
    lowExternalPower: 'Alimentation externe faible',
    vibration: 'Vibration',
    movement: 'Mouvement',
    tow: 'Remorquage',
    crash: 'Accident',
    overspeed: 'Excès de vitesse',
    geofenceEnter: 'Entrée dans une zone',
    geofenceExit: 'Sortie d’une zone',
    geofence: 'Limite de zone franchie',
    tamper: 'Sabotage',
    door: 'Porte',
    harshBraking: 'Freinage brusque',
    harshAcceleration: 'Accélération brusque',
    harshCornering: 'Virage brusque',
    jamming: 'Brouillage',
    fall: 'Chute',
    idle: 'Ralenti',
    temperature: 'Température',
    antennaCut: 'Antenne coupée',
    powerOn: 'Allumé',
    powerOff: 'Éteint',
    fault: 'Panne',
    fatigue: 'Fatigue',
    general: 'Autre',
  },
  alerts: ['chute', 'rotation', 'brouillage', 'bouton', 'générale', 'contact'],
  unacknowledged: (seconds, sentence) => `Personne n’a acquitté ceci en ${lasting(seconds)} : ${sentence}`,
  happened: {
    newLoc: (device) => `${device} a transmis sa position`,
    newWakeLoc: (device) => `${device} a transmis sa position, éveillé ou en mouvement`,
    newAvailLoc: (device) => `${device} a transmis sa position en mode disponible`,
    newReading: (device, { readingType, value }) => `${device} a transmis ${readingType} : ${value}`,
    newMsg: (device) => `${device} a envoyé un message`,
    geofence: crossed,
    geoEntry: crossed,
    lowBat: (device, { value }) => `La batterie de ${device} est à ${value}`,
    speed: (device, { value, limit, lasted }) =>
      lasted > 0
        ? `${device} dépasse ${limit} depuis ${lasting(lasted)} : ${value}`
        : `${device} dépasse ${limit} : ${value}`,
    distance: (device, { value, limit }) => `${device} a parcouru plus de ${limit} en un jour : ${value}`,
    temp: measured('La température de'),
    temp_bme: measured('La température du capteur BME de'),
    humidity: measured('L’humidité à'),
    pressure: measured('La pression à'),
    lightLevel: measured('La luminosité à'),
    ultraLevel: measured('La distance ultrason de'),
    button: (device) => `Le bouton de ${device} a été pressé`,
    acc: (device) => `${device} est tombé`,
    alertMode: (device, { alerts }) =>
      `${device} a émis une alerte${alerts.length === 0 ? '' : ` : ${alerts.join(', ')}`}`,
    alarm: (device, { alarm }) => `${device} a émis une alarme : ${alarm}`,
    extAccel: (device, { value, limit }) => `La force sur ${device} dépasse ${limit} : ${value}`,
    proximity: (device, { other = 'un autre appareil', apart, isRounded }) => {
      if (apart === undefined) return `${device} est près de ${other}`;
      return isRounded ? `${device} est à moins de ${apart} de ${other}` : `${device} est à ${apart} de ${other}`;
    },
    motionStart: (device, { lasted }) =>
      lasted > 0 ? `${device} est en mouvement depuis ${lasting(lasted)}` : `${device} s’est mis en mouvement`,
    motionStop: (device, { lasted }) =>
      lasted > 0 ? `${device} est à l’arrêt depuis ${lasting(lasted)}` : `${device} s’est arrêté`,
    tow: (device, { value }) => `${device} est remorqué : déplacement de ${value}, contact coupé`,
    offline: (device, { silentFor }) => `Rien n’a été reçu de ${device} depuis ${lasting(silentFor)}`,
    expiresDaily: (device) => `Le forfait de ${device} expire dans un jour au plus`,
    expiresWeekly: (device) => `Le forfait de ${device} expire dans une semaine au plus`,
    maintenance: (device, { task, rest }) =>
      rest === undefined
        ? `Entretien de ${device} à faire : ${task}`
        : `Entretien de ${device} à faire dans ${typeof rest === 'number' ? lasting(rest) : rest} : ${task}`,
  },
};
