import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import { allOf, anyOf, countedIn, number } from '../counting.ts';
import type { Texts } from '../translation.ts';
import type { ClauseParts, WhyParts } from '../trigger-parts.ts';

const many = countedIn('es');

/** "2 minutos", "1 hora 30 minutos" */
function lasting(seconds: number): string {
  if (seconds < 60) return many(Math.round(seconds), 'segundo', 'segundos');
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return many(minutes, 'minuto', 'minutos');
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours < 24) return many(hours, 'hora', 'horas') + (rest > 0 ? ` ${many(rest, 'minuto', 'minutos')}` : '');
  return many(Math.round(hours / 24), 'día', 'días');
}

const DAYS = ['domingo', 'lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábado'];
const ALERTS = ['Caída', 'Giro', 'Inhibición', 'Botón', 'General', 'Contacto'];

const measured = (what: string, { min, max }: ClauseParts) => {
  if (min !== undefined && max !== undefined) return `${what} baje de ${min} o suba de ${max}`;
  if (min !== undefined) return `${what} baje de ${min}`;
  return max === undefined ? `${what} se salga de los límites` : `${what} suba de ${max}`;
};

const enters = (zone: string, after: number) =>
  after > 0 ? `lleve ${lasting(after)} dentro de ${zone}` : `entre en ${zone}`;
const leaves = (zone: string, after: number) =>
  after > 0 ? `lleve ${lasting(after)} fuera de ${zone}` : `salga de ${zone}`;
const crosses = ({ zone, enterAfter, exitAfter }: ClauseParts) =>
  enterAfter === 0 && exitAfter === 0
    ? `entre en ${zone} o salga`
    : `${enters(zone, enterAfter)} o ${leaves(zone, exitAfter)}`;

const onDays = (days: readonly number[]) =>
  days.length === 0 || days.length === DAYS.length ? 'en un día' : `en ${anyOf(days.map((day) => DAYS[day]!))}`;

function alertsIn(mask: number | undefined): string {
  const named = ALERTS.filter((_, bit) => ((mask ?? 0) & (1 << bit)) !== 0).map((name) => name.toLowerCase());
  if (!mask) return 'una alerta';
  return named.length === 0 ? 'una de las alertas elegidas' : `una alerta (${anyOf(named)})`;
}

const clauses: Record<TriggerTypeName, (device: string, parts: ClauseParts) => string> = {
  newLoc: (device) => `${device} envíe una posición`,
  newWakeLoc: (device) => `${device} envíe una posición, activo o en movimiento`,
  newAvailLoc: (device) => `${device} envíe una posición en modo disponible`,
  newReading: (device, { readingType }) =>
    readingType ? `${device} envíe una lectura de tipo ${readingType}` : `${device} envíe cualquier lectura`,
  newMsg: (device) => `${device} envíe un mensaje`,
  geofence: (device, parts) =>
    ({
      inside: `${device} ${enters(parts.zone, parts.enterAfter)}`,
      outside: `${device} ${leaves(parts.zone, parts.exitAfter)}`,
      cross: `${device} ${crosses(parts)}`,
    })[parts.zoneType],
  geoEntry: (device, { zone, enterAfter }) => `${device} ${enters(zone, enterAfter)}`,
  lowBat: (device, { threshold }) => `la batería de ${device} baje al ${threshold} o menos`,
  speed: (device, { limit, lasts }) =>
    lasts > 0 ? `${device} lleve ${lasting(lasts)} a más de ${limit}` : `${device} vaya a más de ${limit}`,
  distance: (device, { limit, days }) => `${device} recorra más de ${limit} ${onDays(days)}`,
  temp: (device, parts) => measured(`la temperatura de ${device}`, parts),
  temp_bme: (device, parts) => measured(`la temperatura (BME) de ${device}`, parts),
  humidity: (device, parts) => measured(`la humedad en ${device}`, parts),
  pressure: (device, parts) => measured(`la presión en ${device}`, parts),
  lightLevel: (device, parts) => measured(`la luminosidad en ${device}`, parts),
  ultraLevel: (device, parts) => measured(`la distancia por ultrasonidos de ${device}`, parts),
  button: (device) => `se pulse el botón de ${device}`,
  acc: (device) => `${device} se caiga`,
  alertMode: (device, { mask }) => `${device} emita ${alertsIn(mask)}`,
  alarm: (device, { alarms }) =>
    `${device} emita ${alarms.length === 0 ? 'cualquier alarma' : `la alarma ${anyOf(alarms)}`}`,
  extAccel: (device, { limit }) => `la fuerza máxima sobre ${device} supere ${limit}`,
  proximity: (device, { other, meters }) => `${device} esté a menos de ${meters} de ${other}`,
  motionStart: (device, { lasts }) =>
    lasts > 0 ? `${device} lleve ${lasting(lasts)} en movimiento` : `${device} se ponga en movimiento`,
  motionStop: (device, { lasts }) =>
    lasts > 0 ? `${device} lleve ${lasting(lasts)} detenido` : `${device} se detenga`,
  tow: (device, { meters }) => `remolquen ${device}: se mueva más de ${meters} con el contacto apagado`,
  offline: (device, { after }) => `${device} lleve ${after > 0 ? lasting(after) : '…'} sin informar`,
  expiresDaily: (device) => `el plan de ${device} venza en un día o menos`,
  expiresWeekly: (device) => `el plan de ${device} venza en una semana o menos`,
  maintenance: (device) => `un mantenimiento de ${device} deba hacerse ya o pronto`,
};

function crossed(device: string, { crossing }: WhyParts): string | undefined {
  if (crossing === undefined) return undefined;
  const { fence = 'la geocerca', where, accuracy, sure, isStopped, isPassage } = crossing;
  if (isPassage) return `${device} atravesó ${fence} entre dos posiciones. ${sure}.`;
  return `${device} estaba ${isStopped ? 'detenido ' : ''}${where} de ${fence} (± ${accuracy}). ${sure}.`;
}

const measuredAt =
  (what: string) =>
  (device: string, { value, below, above }: WhyParts) => {
    if (below !== undefined) return `${what} ${device} era de ${value}, por debajo del mínimo de ${below}.`;
    return `${what} ${device} era de ${value}${above === undefined ? '' : `, por encima del máximo de ${above}`}.`;
  };
const planExpires = (device: string, { expires }: WhyParts) => `El plan de ${device} vence el ${expires}.`;

const why: Record<TriggerTypeName, (device: string, parts: WhyParts) => string | undefined> = {
  newLoc: (device) => `${device} envió una posición.`,
  newWakeLoc: (device) => `${device} envió una posición, activo o en movimiento.`,
  newAvailLoc: (device) => `${device} envió una posición en modo disponible.`,
  newReading: (device, { readingType, value }) => `${device} envió una lectura de tipo ${readingType}: ${value}.`,
  newMsg: (device) => `${device} envió un mensaje.`,
  geofence: crossed,
  geoEntry: crossed,
  lowBat: (device, { value, threshold }) => `La batería de ${device} estaba al ${value}. El umbral es ${threshold}.`,
  speed: (device, { value, limit }) => `${device} iba a ${value}. El límite es ${limit}.`,
  distance: (device, { value, limit }) => `${device} recorrió ${value} ese día (UTC). El límite es ${limit}.`,
  temp: measuredAt('La temperatura de'),
  temp_bme: measuredAt('La temperatura (BME) de'),
  humidity: measuredAt('La humedad en'),
  pressure: measuredAt('La presión en'),
  lightLevel: measuredAt('La luminosidad en'),
  ultraLevel: measuredAt('La distancia por ultrasonidos de'),
  button: (device) => `Se pulsó el botón de ${device}.`,
  acc: (device) => `${device} informó de una caída.`,
  alertMode: (device, { alerts }) => `${device} emitió una alerta${alerts === undefined ? '' : `: ${alerts}`}.`,
  alarm: (device, { value }) => `${device} emitió una alarma: ${value}.`,
  extAccel: measuredAt('La fuerza máxima sobre'),
  proximity: (device, { other = 'el otro dispositivo', apart }) =>
    apart === undefined ? `${device} detectó ${other} por Bluetooth.` : `${device} estaba a ${apart} de ${other}.`,
  motionStart: (device, { since }) => `${device} se puso en movimiento: ${since}.`,
  motionStop: (device, { since }) => `${device} se detuvo: ${since}.`,
  tow: (device, { value, limit }) => `${device} se movió ${value} con el contacto apagado. El límite es ${limit}.`,
  offline: (device, { heardAt, after }) =>
    `${device} informó por última vez: ${heardAt}. El activador salta tras ${after} sin informes.`,
  expiresDaily: planExpires,
  expiresWeekly: planExpires,
  maintenance: (device, { task, rest }) =>
    rest === undefined
      ? `${task}: tocaba el mantenimiento de ${device}.`
      : `${task}: faltaban ${rest} para el mantenimiento de ${device}.`,
};

const OUT_OF_BOUNDS = 'Por debajo de un mínimo o por encima de un máximo';
const types: Record<TriggerTypeName, { label: string; about: string }> = {
  geofence: { label: 'Entrada o salida de geocerca', about: 'El dispositivo entra en una geocerca o sale de ella' },
  geoEntry: { label: 'Entrada en geocerca', about: 'El dispositivo entra en una geocerca' },
  proximity: { label: 'Proximidad', about: 'El dispositivo se acerca a otro' },
  motionStart: { label: 'Empieza a moverse', about: 'El dispositivo se mueve tras una parada' },
  motionStop: { label: 'Se detiene', about: 'El dispositivo deja de moverse' },
  speed: { label: 'Exceso de velocidad', about: 'El dispositivo supera una velocidad' },
  distance: { label: 'Distancia diaria', about: 'El dispositivo supera una distancia en un día' },
  tow: { label: 'Remolque', about: 'El dispositivo se mueve con el contacto apagado' },
  lowBat: { label: 'Batería baja', about: 'La batería baja a un umbral' },
  offline: { label: 'Sin conexión', about: 'El dispositivo deja de informar' },
  button: { label: 'Botón pulsado', about: 'Se pulsa el botón del dispositivo' },
  acc: { label: 'Caída', about: 'El dispositivo se cae' },
  alertMode: { label: 'Alerta', about: 'Caída, giro, inhibición, botón y más' },
  alarm: { label: 'Alarma de un rastreador', about: 'SOS, corte, puerta, frenazo y más' },
  extAccel: { label: 'Fuerza alta', about: 'La fuerza máxima supera un límite' },
  temp: { label: 'Temperatura', about: OUT_OF_BOUNDS },
  temp_bme: { label: 'Temperatura (BME)', about: OUT_OF_BOUNDS },
  humidity: { label: 'Humedad', about: OUT_OF_BOUNDS },
  pressure: { label: 'Presión', about: OUT_OF_BOUNDS },
  lightLevel: { label: 'Luminosidad', about: OUT_OF_BOUNDS },
  ultraLevel: { label: 'Distancia por ultrasonidos', about: OUT_OF_BOUNDS },
  newReading: { label: 'Lectura nueva', about: 'Cada lectura del dispositivo' },
  newMsg: { label: 'Mensaje nuevo', about: 'Cada mensaje del dispositivo' },
  newLoc: { label: 'Posición nueva', about: 'Cada posición del dispositivo' },
  newWakeLoc: { label: 'Posición nueva, activo', about: 'Cada posición, activo o en movimiento' },
  newAvailLoc: { label: 'Posición nueva, disponible', about: 'Cada posición en modo disponible' },
  expiresDaily: { label: 'El plan vence en un día', about: 'El plan vence en un día o menos' },
  expiresWeekly: { label: 'El plan vence en una semana', about: 'El plan vence en una semana o menos' },
  maintenance: { label: 'Mantenimiento', about: 'Un mantenimiento debe hacerse ya o pronto' },
};

export const triggers: Texts['triggers'] = {
  title: 'Activadores',
  lead: 'Un activador vigila un dispositivo y le avisa cuando ocurre algo.',
  add: 'Nuevo activador',
  addFor: (device) => `Añadir un activador para ${device}`,
  addShort: 'Añadir',
  searchDevices: 'Buscar dispositivos',
  none: 'Sin activadores',
  lastFired: (when) => `saltó ${when}`,
  neverFired: 'nunca ha saltado',
  unnamedDevice: (id) => `Dispositivo ${id}`,
  noDevices: 'Aún no hay dispositivos que vigilar',
  noDevicesText: 'Añada primero un dispositivo y después sus activadores.',
  toMap: 'Ir al mapa',
  nothingFound: 'No se han encontrado dispositivos',
  gone: 'Activador no encontrado',
  delete: 'Eliminar',
  deleted: (name) => `Se ha eliminado «${name}»`,
  undo: 'Deshacer',
  seeFired: 'Ver avisos',
  unknownType: (type) => `Activador de tipo ${type}`,

  newTitle: 'Nuevo activador',
  editTitle: 'Editar activador',
  back: 'Activadores',
  device: 'Dispositivo',
  pickDevice: 'Elegir dispositivo',
  someDevice: 'el dispositivo',
  anotherDevice: 'otro dispositivo',
  when: 'Condición',
  chooseType: 'Elija qué lo hace saltar',
  changeType: 'Cambiar',
  groups: {
    places: 'Lugares',
    movement: 'Movimiento',
    state: 'Batería y conexión',
    alerts: 'Alertas',
    measures: 'Lecturas',
    data: 'Todos los datos recibidos',
    plans: 'Plan',
  },
  types,
  name: 'Nombre',
  nameHint: 'Aparece en las listas y en los mensajes de webhook. Vacío: el tipo de activador.',
  how: 'Canales de aviso',
  rest: 'Opciones',
  ways: {
    form: 'Formato de los mensajes',
    forms: { plain: 'JSON simple', envelope: 'JSON dentro de un sobre' },
    formHints: {
      plain: 'Fácil de leer para cualquier programa.',
      envelope: 'La forma de Amazon SNS: el mensaje es un texto dentro del JSON. Para receptores que la esperan.',
    },
    example: 'Ver un ejemplo',
    exampleMessage: 'El texto de la notificación',
    exampleHint: 'Valores inventados. Los mensajes reales tienen algunos campos más.',
    notSetUp: 'Este canal no está configurado en este servidor. No se envía nada hasta que el operador lo configure.',
  },
  muteFor: 'Silenciar tras saltar durante',
  muteForHint: 'Los avisos de ese tiempo se registran, pero no se envían. 0: nunca se silencia.',
  units: {
    s: 's',
    min: 'min',
    h: 'h',
    percent: '%',
    kmh: 'km/h',
    mph: 'mph',
    km: 'km',
    mi: 'mi',
    m: 'm',
    ft: 'ft',
    celsius: '°C',
    fahrenheit: '°F',
    hpa: 'hPa',
    lux: 'lx',
  },

  fields: {
    zone: 'Geocerca',
    anyZone: 'Cualquiera de mis geocercas',
    groupZone: (group) => `Grupo: ${group}`,
    goneZone: (id) => `Geocerca ${id} (eliminada)`,
    noZones: 'Aún no tiene geocercas.',
    drawZone: 'Dibujar una',
    zoneType: 'Salta cuando el dispositivo',
    zoneTypes: { inside: 'Entra', outside: 'Sale', cross: 'Entra o sale' },
    limit: 'Límite',
    lasts: 'Durante al menos',
    lastsHint: 'Un tiempo menor no lo hace saltar.',
    threshold: 'Batería al, o por debajo del',
    days: 'Días',
    daysHint: 'Sin elegir: todos los días. Los días empiezan a medianoche UTC.',
    dayNames: ['Do', 'Lu', 'Ma', 'Mi', 'Ju', 'Vi', 'Sá'],
    min: 'Menos de',
    max: 'Más de',
    oneOf: 'Introduzca al menos uno de los dos.',
    mask: 'Alertas',
    maskHint: 'Sin elegir: todas las alertas.',
    alerts: ALERTS,
    alarms: 'Alarmas',
    alarmsHint: 'Sin elegir: todas las alarmas.',
    otherDevice: 'Otro dispositivo',
    near: 'A menos de',
    towed: 'Se mueve más de',
    towedHint: 'Solo para dispositivos que informan de su contacto.',
    after: 'Sin informes durante',
    readingType: 'Tipo de lectura',
    readingTypeHint: 'Por ejemplo temp o humidity. Vacío: todos los tipos.',
    nothing: 'Este activador no tiene ajustes.',
  },

  sentence: (clause, ways, muteFor) =>
    `Cuando ${clause}, ${ways.length === 0 ? 'registrarlo sin avisar a nadie' : allOf(ways)}${
      muteFor > 0 ? `, y después silenciar ${lasting(muteFor)}` : ''
    }.`,
  clauses,
  why,
  anyZone: 'cualquier geocerca',
  zonesOf: (group) => `una geocerca del grupo «${group}»`,

  save: 'Guardar',
  create: 'Crear activador',
  cancel: 'Cancelar',
  saved: 'Guardado',
  created: 'Activador creado',
  needsDevice: 'Elija un dispositivo.',
  mayNotManage:
    'Solo puede ver este dispositivo. Para añadir activadores, pida al propietario permiso para gestionarlo.',

  try: {
    title: 'Probar con los últimos 7 días',
    lead: 'Vea cuándo habría saltado este activador. No se avisa a nadie.',
    run: 'Probar',
    again: 'Probar de nuevo',
    none: 'No habría saltado.',
    times: (count) => `Habría saltado ${many(count, 'vez', 'veces')}.`,
    perDay: (perDay) => `Son unas ${perDay} veces al día.`,
    incomplete: 'Había demasiados datos para probar todo el periodo, así que puede haber más.',
    more: (count) => `y ${number(count)} más`,
    stale: 'El activador ha cambiado desde esta prueba. Repítala.',
  },
};
