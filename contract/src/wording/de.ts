import { type Happening, lastingIn, numberedIn, type Wording } from './words.ts';

const many = numberedIn('de');
/** After "seit" and "innerhalb von": in the dative. */
const lasting = (seconds: number) =>
  lastingIn(seconds, {
    second: (count) => many(count, 'Sekunde', 'Sekunden'),
    minute: (count) => many(count, 'Minute', 'Minuten'),
    hour: (count) => many(count, 'Stunde', 'Stunden'),
    day: (count) => many(count, 'Tag', 'Tagen'),
  });

const crossed = (device: string, { zone = 'einem Geofence', isEntry, lasted }: Happening) => {
  if (lasted > 0) return `${device} ist seit ${lasting(lasted)} ${isEntry ? 'in' : 'außerhalb von'} ${zone}`;
  const reached = zone === 'einem Geofence' ? 'einen Geofence' : zone;
  return isEntry ? `${device} hat ${reached} erreicht` : `${device} hat ${reached} verlassen`;
};

const measured =
  (what: string) =>
  (device: string, { value, below, above }: Happening) =>
    below === undefined
      ? `${what} ${device} liegt über ${above}: ${value}`
      : `${what} ${device} liegt unter ${below}: ${value}`;

export const de: Wording = {
  alarms: {
    sos: 'SOS',
    powerCut: 'Stromausfall',
    powerRestored: 'Strom wieder da',
    lowBattery: 'Akku schwach',
    lowExternalPower: 'Bordspannung niedrig',
    vibration: 'Erschütterung',
    movement: 'Bewegung',
    tow: 'Abschleppen',
    crash: 'Unfall',
    overspeed: 'Zu schnell',
    geofenceEnter: 'Bereich betreten',
    geofenceExit: 'Bereich verlassen',
    geofence: 'Bereichsgrenze überquert',
    tamper: 'Manipulation',
    door: 'Tür',
    harshBraking: 'Starkes Bremsen',
    harshAcceleration: 'Starkes Beschleunigen',
    harshCornering: 'Scharfe Kurvenfahrt',
    jamming: 'Störsender',
    fall: 'Sturz',
    idle: 'Leerlauf',
    temperature: 'Temperatur',
    antennaCut: 'Antenne getrennt',
    powerOn: 'Eingeschaltet',
    powerOff: 'Ausgeschaltet',
    fault: 'Störung',
    fatigue: 'Müdigkeit',
    general: 'Sonstiges',
  },
  alerts: ['Sturz', 'Drehung', 'Störsender', 'Taste', 'Allgemein', 'Zündung'],
  unacknowledged: (seconds, sentence) => `Niemand hat dies innerhalb von ${lasting(seconds)} quittiert: ${sentence}`,
  happened: {
    newLoc: (device) => `${device} hat die Position gesendet`,
    newWakeLoc: (device) => `${device} hat wach oder in Bewegung die Position gesendet`,
    newAvailLoc: (device) => `${device} hat im Bereitschaftsmodus die Position gesendet`,
    newReading: (device, { readingType, value }) => `${device} hat ${readingType} gesendet: ${value}`,
    newMsg: (device) => `${device} hat eine Nachricht gesendet`,
    geofence: crossed,
    geoEntry: crossed,
    lowBat: (device, { value }) => `Der Akku von ${device} ist bei ${value}`,
    speed: (device, { value, limit, lasted }) =>
      lasted > 0
        ? `${device} fährt seit ${lasting(lasted)} schneller als ${limit}: ${value}`
        : `${device} fährt schneller als ${limit}: ${value}`,
    distance: (device, { value, limit }) => `${device} ist an einem Tag mehr als ${limit} gefahren: ${value}`,
    temp: measured('Die Temperatur von'),
    temp_bme: measured('Die Temperatur am BME-Sensor von'),
    humidity: measured('Die Luftfeuchte bei'),
    pressure: measured('Der Luftdruck bei'),
    lightLevel: measured('Die Helligkeit bei'),
    ultraLevel: measured('Der Ultraschallabstand von'),
    button: (device) => `Die Taste von ${device} wurde gedrückt`,
    acc: (device) => `${device} ist heruntergefallen`,
    alertMode: (device, { alerts }) =>
      `${device} hat einen Alarm ausgelöst${alerts.length === 0 ? '' : `: ${alerts.join(', ')}`}`,
    alarm: (device, { alarm }) => `${device} hat einen Alarm ausgelöst: ${alarm}`,
    extAccel: (device, { value, limit }) => `Die Kraft auf ${device} liegt über ${limit}: ${value}`,
    proximity: (device, { other = 'einem anderen Gerät', apart, isRounded }) => {
      if (apart === undefined) return `${device} ist in der Nähe von ${other}`;
      return isRounded
        ? `${device} ist höchstens ${apart} von ${other} entfernt`
        : `${device} ist ${apart} von ${other} entfernt`;
    },
    motionStart: (device, { lasted }) =>
      lasted > 0 ? `${device} ist seit ${lasting(lasted)} in Bewegung` : `${device} hat sich in Bewegung gesetzt`,
    motionStop: (device, { lasted }) =>
      lasted > 0 ? `${device} steht seit ${lasting(lasted)}` : `${device} ist stehen geblieben`,
    tow: (device, { value }) => `${device} wird abgeschleppt: ${value} mit ausgeschalteter Zündung`,
    offline: (device, { silentFor }) => `Von ${device} wurde seit ${lasting(silentFor)} nichts empfangen`,
    expiresDaily: (device) => `Der Tarif von ${device} läuft innerhalb eines Tages ab`,
    expiresWeekly: (device) => `Der Tarif von ${device} läuft innerhalb einer Woche ab`,
    maintenance: (device, { task, rest }) =>
      rest === undefined
        ? `Wartung von ${device} ist fällig: ${task}`
        : `Wartung von ${device} ist fällig in ${typeof rest === 'number' ? lasting(rest) : rest}: ${task}`,
  },
};
