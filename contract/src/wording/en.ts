import { type Happening, lastingIn, numberedIn, type Wording } from './words.ts';

const many = numberedIn('en');
const lasting = (seconds: number) =>
  lastingIn(seconds, {
    second: (count) => many(count, 'second', 'seconds'),
    minute: (count) => many(count, 'minute', 'minutes'),
    hour: (count) => many(count, 'hour', 'hours'),
    day: (count) => many(count, 'day', 'days'),
  });

const crossed = (device: string, { zone = 'a geofence', isEntry, lasted }: Happening) =>
  lasted > 0
    ? `${device} has been ${isEntry ? 'inside' : 'outside'} ${zone} for ${lasting(lasted)}`
    : `${device} ${isEntry ? 'entered' : 'left'} ${zone}`;

const measured =
  (what: string) =>
  (device: string, { value, below, above }: Happening) =>
    below === undefined
      ? `${what} ${device} is above ${above}: ${value}`
      : `${what} ${device} is below ${below}: ${value}`;

export const en: Wording = {
  alarms: {
    sos: 'SOS',
    powerCut: 'Power cut',
    powerRestored: 'Power restored',
    lowBattery: 'Low battery',
    lowExternalPower: 'Low external power',
    vibration: 'Vibration',
    movement: 'Movement',
    tow: 'Towing',
    crash: 'Crash',
    overspeed: 'Speeding',
    geofenceEnter: 'Area entered',
    geofenceExit: 'Area left',
    geofence: 'Area crossed',
    tamper: 'Tampering',
    door: 'Door',
    harshBraking: 'Harsh braking',
    harshAcceleration: 'Harsh acceleration',
    harshCornering: 'Harsh cornering',
    jamming: 'Jamming',
    fall: 'Fall',
    idle: 'Idling',
    temperature: 'Temperature',
    antennaCut: 'Antenna cut',
    powerOn: 'Switched on',
    powerOff: 'Switched off',
    fault: 'Fault',
    fatigue: 'Fatigue',
    general: 'Other',
  },
  alerts: ['drop', 'rotation', 'jamming', 'button', 'generic', 'ignition'],
  unacknowledged: (seconds, sentence) => `Nobody has acknowledged this within ${lasting(seconds)}: ${sentence}`,
  happened: {
    newLoc: (device) => `${device} reported its position`,
    newWakeLoc: (device) => `${device} reported its position while awake or moving`,
    newAvailLoc: (device) => `${device} reported its position in available mode`,
    newReading: (device, { readingType, value }) => `${device} reported ${readingType}: ${value}`,
    newMsg: (device) => `${device} sent a message`,
    geofence: crossed,
    geoEntry: crossed,
    lowBat: (device, { value }) => `Battery of ${device} is at ${value}`,
    speed: (device, { value, limit, lasted }) =>
      lasted > 0
        ? `${device} has been faster than ${limit} for ${lasting(lasted)}: ${value}`
        : `${device} is faster than ${limit}: ${value}`,
    distance: (device, { value, limit }) => `${device} went further than ${limit} in a day: ${value}`,
    temp: measured('Temperature of'),
    temp_bme: measured('Temperature of the BME sensor of'),
    humidity: measured('Humidity at'),
    pressure: measured('Pressure at'),
    lightLevel: measured('Light level at'),
    ultraLevel: measured('Ultrasonic distance of'),
    button: (device) => `The button of ${device} was pressed`,
    acc: (device) => `${device} was dropped`,
    alertMode: (device, { alerts }) =>
      `${device} raised an alert${alerts.length === 0 ? '' : `: ${alerts.join(', ')}`}`,
    alarm: (device, { alarm }) => `${device} raised an alarm: ${alarm.toLowerCase()}`,
    extAccel: (device, { value, limit }) => `Force on ${device} is above ${limit}: ${value}`,
    proximity: (device, { other = 'another device', apart, isRounded }) => {
      if (apart === undefined) return `${device} is near ${other}`;
      return isRounded ? `${device} is within ${apart} of ${other}` : `${device} is ${apart} from ${other}`;
    },
    motionStart: (device, { lasted }) =>
      lasted > 0 ? `${device} has been moving for ${lasting(lasted)}` : `${device} started moving`,
    motionStop: (device, { lasted }) =>
      lasted > 0 ? `${device} has not moved for ${lasting(lasted)}` : `${device} stopped moving`,
    tow: (device, { value }) => `${device} is being towed: it moved ${value} with the ignition off`,
    offline: (device, { silentFor }) => `Nothing was received from ${device} for ${lasting(silentFor)}`,
    expiresDaily: (device) => `The plan of ${device} ends within a day`,
    expiresWeekly: (device) => `The plan of ${device} ends within a week`,
    maintenance: (device, { task, rest }) =>
      rest === undefined
        ? `Maintenance of ${device} is due: ${task}`
        : `Maintenance of ${device} is due in ${typeof rest === 'number' ? lasting(rest) : rest}: ${task}`,
  },
};
