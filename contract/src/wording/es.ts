import { type Happening, lastingIn, numberedIn, type Wording } from './words.ts';

const many = numberedIn('es');
const lasting = (seconds: number) =>
  lastingIn(seconds, {
    second: (count) => many(count, 'segundo', 'segundos'),
    minute: (count) => many(count, 'minuto', 'minutos'),
    hour: (count) => many(count, 'hora', 'horas'),
    day: (count) => many(count, 'día', 'días'),
  });

const crossed = (device: string, { zone = 'una geocerca', isEntry, lasted }: Happening) => {
  if (lasted > 0) return `${device} lleva ${lasting(lasted)} ${isEntry ? 'dentro' : 'fuera'} de ${zone}`;
  return isEntry ? `${device} ha entrado en ${zone}` : `${device} ha salido de ${zone}`;
};

const measured =
  (what: string) =>
  (device: string, { value, below, above }: Happening) =>
    below === undefined
      ? `${what} ${device} supera ${above}: ${value}`
      : `${what} ${device} está por debajo de ${below}: ${value}`;

export const es: Wording = {
  alarms: {
    sos: 'SOS',
    powerCut: 'Corte de alimentación',
    powerRestored: 'Alimentación restablecida',
    lowBattery: 'Batería baja',
    lowExternalPower: 'Alimentación externa baja',
    vibration: 'Vibración',
    movement: 'Movimiento',
    tow: 'Remolque',
    crash: 'Choque',
    overspeed: 'Exceso de velocidad',
    geofenceEnter: 'Entrada en zona',
    geofenceExit: 'Salida de zona',
    geofence: 'Límite de zona cruzado',
    tamper: 'Manipulación',
    door: 'Puerta',
    harshBraking: 'Frenazo',
    harshAcceleration: 'Aceleración brusca',
    harshCornering: 'Curva brusca',
    jamming: 'Inhibición de señal',
    fall: 'Caída',
    idle: 'Ralentí',
    temperature: 'Temperatura',
    antennaCut: 'Antena cortada',
    powerOn: 'Encendido',
    powerOff: 'Apagado',
    fault: 'Avería',
    fatigue: 'Fatiga',
    general: 'Otra',
  },
  alerts: ['caída', 'giro', 'inhibición', 'botón', 'general', 'contacto'],
  unacknowledged: (seconds, sentence) => `Nadie ha reconocido esto en ${lasting(seconds)}: ${sentence}`,
  happened: {
    newLoc: (device) => `${device} ha enviado su posición`,
    newWakeLoc: (device) => `${device} ha enviado su posición, activo o en movimiento`,
    newAvailLoc: (device) => `${device} ha enviado su posición en modo disponible`,
    newReading: (device, { readingType, value }) => `${device} ha enviado ${readingType}: ${value}`,
    newMsg: (device) => `${device} ha enviado un mensaje`,
    geofence: crossed,
    geoEntry: crossed,
    lowBat: (device, { value }) => `La batería de ${device} está al ${value}`,
    speed: (device, { value, limit, lasted }) =>
      lasted > 0
        ? `${device} lleva ${lasting(lasted)} a más de ${limit}: ${value}`
        : `${device} va a más de ${limit}: ${value}`,
    distance: (device, { value, limit }) => `${device} ha recorrido más de ${limit} en un día: ${value}`,
    temp: measured('La temperatura de'),
    temp_bme: measured('La temperatura del sensor BME de'),
    humidity: measured('La humedad en'),
    pressure: measured('La presión en'),
    lightLevel: measured('La luminosidad en'),
    ultraLevel: measured('La distancia por ultrasonidos de'),
    button: (device) => `Se ha pulsado el botón de ${device}`,
    acc: (device) => `${device} se ha caído`,
    alertMode: (device, { alerts }) =>
      `${device} ha emitido una alerta${alerts.length === 0 ? '' : `: ${alerts.join(', ')}`}`,
    alarm: (device, { alarm }) => `${device} ha emitido una alarma: ${alarm}`,
    extAccel: (device, { value, limit }) => `La fuerza sobre ${device} supera ${limit}: ${value}`,
    proximity: (device, { other = 'otro dispositivo', apart, isRounded }) => {
      if (apart === undefined) return `${device} está cerca de ${other}`;
      return isRounded ? `${device} está a menos de ${apart} de ${other}` : `${device} está a ${apart} de ${other}`;
    },
    motionStart: (device, { lasted }) =>
      lasted > 0 ? `${device} lleva ${lasting(lasted)} en movimiento` : `${device} se ha puesto en movimiento`,
    motionStop: (device, { lasted }) =>
      lasted > 0 ? `${device} lleva ${lasting(lasted)} sin moverse` : `${device} se ha detenido`,
    tow: (device, { value }) => `Están remolcando ${device}: se ha movido ${value} con el contacto apagado`,
    offline: (device, { silentFor }) => `No se ha recibido nada de ${device} desde hace ${lasting(silentFor)}`,
    expiresDaily: (device) => `El plan de ${device} vence en un día o menos`,
    expiresWeekly: (device) => `El plan de ${device} vence en una semana o menos`,
    maintenance: (device, { task, rest }) =>
      rest === undefined
        ? `El mantenimiento de ${device} debe hacerse ya: ${task}`
        : `El mantenimiento de ${device} debe hacerse en ${typeof rest === 'number' ? lasting(rest) : rest}: ${task}`,
  },
};
