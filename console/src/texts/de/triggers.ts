import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import { allOf, anyOf, countedIn, number } from '../counting.ts';
import type { Texts } from '../translation.ts';
import type { ClauseParts, WhyParts } from '../trigger-parts.ts';

const many = countedIn('de');

/** "2 Minuten", "1 Stunde 30 Minuten": after "seit" and "für". */
function lasting(seconds: number, day = 'Tagen'): string {
  if (seconds < 60) return many(Math.round(seconds), 'Sekunde', 'Sekunden');
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return many(minutes, 'Minute', 'Minuten');
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours < 24) return many(hours, 'Stunde', 'Stunden') + (rest > 0 ? ` ${many(rest, 'Minute', 'Minuten')}` : '');
  return many(Math.round(hours / 24), 'Tag', day);
}

const DAYS = ['Sonntag', 'Montag', 'Dienstag', 'Mittwoch', 'Donnerstag', 'Freitag', 'Samstag'];
const ALERTS = ['Sturz', 'Drehung', 'Störsender', 'Taste', 'Allgemein', 'Zündung'];

const measured = (what: string, { min, max }: ClauseParts) => {
  if (min !== undefined && max !== undefined) return `${what} unter ${min} fällt oder über ${max} steigt`;
  if (min !== undefined) return `${what} unter ${min} fällt`;
  return max === undefined ? `${what} außerhalb der Grenzen liegt` : `${what} über ${max} steigt`;
};

const enters = (zone: string, after: number) =>
  after > 0 ? `seit ${lasting(after)} in ${zone} ist` : `${zone} erreicht`;
const leaves = (zone: string, after: number) =>
  after > 0 ? `seit ${lasting(after)} außerhalb von ${zone} ist` : `${zone} verlässt`;
const crosses = ({ zone, enterAfter, exitAfter }: ClauseParts) =>
  enterAfter === 0 && exitAfter === 0
    ? `${zone} erreicht oder verlässt`
    : `${enters(zone, enterAfter)} oder ${leaves(zone, exitAfter)}`;

const onDays = (days: readonly number[]) =>
  days.length === 0 || days.length === DAYS.length
    ? 'an einem Tag'
    : `an einem ${anyOf(days.map((day) => DAYS[day]!))}`;

function alertsIn(mask: number | undefined): string {
  const named = ALERTS.filter((_, bit) => ((mask ?? 0) & (1 << bit)) !== 0);
  if (!mask) return 'einen Alarm';
  return named.length === 0 ? 'einen der gewählten Alarme' : `den Alarm ${anyOf(named)}`;
}

/** After "von" and "bei", where it is not a name: "dem Gerät", "einem meiner Geräte". */
const dative = (device: string) =>
  device.replace(/^das(?= Gerät$)/, 'dem').replace(/^(?:ein(?= Gerät )|eines(?= meiner Geräte$))/, 'einem');

const clauses: Record<TriggerTypeName, (device: string, parts: ClauseParts) => string> = {
  newLoc: (device) => `${device} eine Position sendet`,
  newWakeLoc: (device) => `${device} wach oder in Bewegung eine Position sendet`,
  newAvailLoc: (device) => `${device} im Bereitschaftsmodus eine Position sendet`,
  newReading: (device, { readingType }) =>
    readingType ? `${device} einen Messwert vom Typ ${readingType} sendet` : `${device} irgendeinen Messwert sendet`,
  newMsg: (device) => `${device} eine Nachricht sendet`,
  geofence: (device, parts) =>
    ({
      inside: `${device} ${enters(parts.zone, parts.enterAfter)}`,
      outside: `${device} ${leaves(parts.zone, parts.exitAfter)}`,
      cross: `${device} ${crosses(parts)}`,
    })[parts.zoneType],
  geoEntry: (device, { zone, enterAfter }) => `${device} ${enters(zone, enterAfter)}`,
  lowBat: (device, { threshold }) => `der Akku von ${dative(device)} auf ${threshold} oder weniger fällt`,
  speed: (device, { limit, lasts }) =>
    lasts > 0
      ? `${device} seit ${lasting(lasts)} schneller als ${limit} fährt`
      : `${device} schneller als ${limit} fährt`,
  distance: (device, { limit, days }) => `${device} ${onDays(days)} mehr als ${limit} fährt`,
  temp: (device, parts) => measured(`die Temperatur von ${dative(device)}`, parts),
  temp_bme: (device, parts) => measured(`die Temperatur (BME) von ${dative(device)}`, parts),
  humidity: (device, parts) => measured(`die Luftfeuchte bei ${dative(device)}`, parts),
  pressure: (device, parts) => measured(`der Luftdruck bei ${dative(device)}`, parts),
  lightLevel: (device, parts) => measured(`die Helligkeit bei ${dative(device)}`, parts),
  ultraLevel: (device, parts) => measured(`der Ultraschallabstand von ${dative(device)}`, parts),
  button: (device) => `die Taste von ${dative(device)} gedrückt wird`,
  acc: (device) => `${device} herunterfällt`,
  alertMode: (device, { mask }) => `${device} ${alertsIn(mask)} auslöst`,
  alarm: (device, { alarms }) =>
    `${device} ${alarms.length === 0 ? 'irgendeinen Alarm' : `den Alarm ${anyOf(alarms)}`} auslöst`,
  extAccel: (device, { limit }) => `die Spitzenkraft auf ${device} über ${limit} steigt`,
  proximity: (device, { other, meters }) => `${device} näher als ${meters} an ${other} kommt`,
  motionStart: (device, { lasts }) =>
    lasts > 0 ? `${device} seit ${lasting(lasts)} in Bewegung ist` : `${device} sich in Bewegung setzt`,
  motionStop: (device, { lasts }) => (lasts > 0 ? `${device} seit ${lasting(lasts)} steht` : `${device} stehen bleibt`),
  tow: (device, { meters }) =>
    `${device} abgeschleppt wird, also sich mit ausgeschalteter Zündung mehr als ${meters} bewegt`,
  offline: (device, { after }) =>
    `von ${dative(device)} seit ${after > 0 ? lasting(after) : '…'} nichts empfangen wurde`,
  expiresDaily: (device) => `der Tarif von ${dative(device)} innerhalb eines Tages abläuft`,
  expiresWeekly: (device) => `der Tarif von ${dative(device)} innerhalb einer Woche abläuft`,
  maintenance: (device) => `eine Wartung von ${dative(device)} fällig ist oder es bald wird`,
};

function crossed(device: string, { crossing }: WhyParts): string | undefined {
  if (crossing === undefined) return undefined;
  const { fence = 'dem Geofence', where, accuracy, sure, isStopped, isPassage } = crossing;
  if (isPassage)
    return `${device} hat zwischen zwei Positionen ${crossing.fence ?? 'den Geofence'} durchquert. ${sure}.`;
  return `${device} ${isStopped ? 'stand' : 'war'} ${where} von ${fence} (± ${accuracy}). ${sure}.`;
}

const measuredAt =
  (what: string) =>
  (device: string, { value, below, above }: WhyParts) => {
    if (below !== undefined) return `${what} ${device} lag bei ${value}, unter dem Minimum von ${below}.`;
    return `${what} ${device} lag bei ${value}${above === undefined ? '' : `, über dem Maximum von ${above}`}.`;
  };
const planExpires = (device: string, { expires }: WhyParts) => `Der Tarif von ${device} läuft ab: ${expires}.`;

const why: Record<TriggerTypeName, (device: string, parts: WhyParts) => string | undefined> = {
  newLoc: (device) => `${device} hat eine Position gesendet.`,
  newWakeLoc: (device) => `${device} hat wach oder in Bewegung eine Position gesendet.`,
  newAvailLoc: (device) => `${device} hat im Bereitschaftsmodus eine Position gesendet.`,
  newReading: (device, { readingType, value }) =>
    `${device} hat einen Messwert vom Typ ${readingType} gesendet: ${value}.`,
  newMsg: (device) => `${device} hat eine Nachricht gesendet.`,
  geofence: crossed,
  geoEntry: crossed,
  lowBat: (device, { value, threshold }) => `Der Akku von ${device} war bei ${value}. Die Schwelle ist ${threshold}.`,
  speed: (device, { value, limit }) => `${device} fuhr ${value}. Die Grenze ist ${limit}.`,
  distance: (device, { value, limit }) => `${device} fuhr an diesem Tag (UTC) ${value}. Die Grenze ist ${limit}.`,
  temp: measuredAt('Die Temperatur von'),
  temp_bme: measuredAt('Die Temperatur (BME) von'),
  humidity: measuredAt('Die Luftfeuchte bei'),
  pressure: measuredAt('Der Luftdruck bei'),
  lightLevel: measuredAt('Die Helligkeit bei'),
  ultraLevel: measuredAt('Der Ultraschallabstand von'),
  button: (device) => `Die Taste von ${device} wurde gedrückt.`,
  acc: (device) => `${device} ist heruntergefallen.`,
  alertMode: (device, { alerts }) => `${device} hat einen Alarm ausgelöst${alerts === undefined ? '' : `: ${alerts}`}.`,
  alarm: (device, { value }) => `${device} hat einen Alarm ausgelöst: ${value}.`,
  extAccel: measuredAt('Die Spitzenkraft auf'),
  proximity: (device, { other = 'das andere Gerät', apart }) =>
    apart === undefined
      ? `${device} hat ${other} per Bluetooth erkannt.`
      : `${device} war ${apart} entfernt von: ${other}.`,
  motionStart: (device, { since }) => `${device} ist in Bewegung seit ${since}.`,
  motionStop: (device, { since }) => `${device} steht seit ${since}.`,
  tow: (device, { value, limit }) =>
    `${device} hat sich mit ausgeschalteter Zündung ${value} bewegt. Die Grenze ist ${limit}.`,
  offline: (device, { heardAt, after }) =>
    `${device} hat zuletzt gesendet: ${heardAt}. Der Auslöser löst aus, wenn ${after} lang nichts kommt.`,
  expiresDaily: planExpires,
  expiresWeekly: planExpires,
  maintenance: (device, { task, rest }) =>
    rest === undefined
      ? `${task}: Die Wartung von ${dative(device)} war fällig.`
      : `${task}: Bis zur Wartung von ${dative(device)} blieben ${rest}.`,
};

const OUT_OF_BOUNDS = 'Unter einem Minimum oder über einem Maximum';
const types: Record<TriggerTypeName, { label: string; about: string }> = {
  geofence: { label: 'Geofence erreicht oder verlassen', about: 'Das Gerät erreicht oder verlässt einen Geofence' },
  geoEntry: { label: 'Geofence erreicht', about: 'Das Gerät erreicht einen Geofence' },
  proximity: { label: 'Nähe', about: 'Das Gerät kommt einem anderen Gerät nahe' },
  motionStart: { label: 'Setzt sich in Bewegung', about: 'Das Gerät bewegt sich nach einem Halt' },
  motionStop: { label: 'Bleibt stehen', about: 'Das Gerät bewegt sich nicht mehr' },
  speed: { label: 'Zu schnell', about: 'Das Gerät überschreitet ein Tempo' },
  distance: { label: 'Strecke am Tag', about: 'Das Gerät überschreitet eine Strecke an einem Tag' },
  tow: { label: 'Abschleppen', about: 'Das Gerät bewegt sich bei ausgeschalteter Zündung' },
  lowBat: { label: 'Akku schwach', about: 'Der Akku fällt auf eine Schwelle' },
  offline: { label: 'Offline', about: 'Das Gerät sendet nichts mehr' },
  button: { label: 'Tastendruck', about: 'Die Taste am Gerät wird gedrückt' },
  acc: { label: 'Sturz', about: 'Das Gerät fällt herunter' },
  alertMode: { label: 'Alarm', about: 'Sturz, Drehung, Störsender, Taste und mehr' },
  alarm: { label: 'Alarm eines Trackers', about: 'SOS, Stromausfall, Tür, starkes Bremsen und mehr' },
  extAccel: { label: 'Starke Kraft', about: 'Die Spitzenkraft überschreitet eine Grenze' },
  temp: { label: 'Temperatur', about: OUT_OF_BOUNDS },
  temp_bme: { label: 'Temperatur (BME)', about: OUT_OF_BOUNDS },
  humidity: { label: 'Luftfeuchte', about: OUT_OF_BOUNDS },
  pressure: { label: 'Luftdruck', about: OUT_OF_BOUNDS },
  lightLevel: { label: 'Helligkeit', about: OUT_OF_BOUNDS },
  ultraLevel: { label: 'Ultraschallabstand', about: OUT_OF_BOUNDS },
  newReading: { label: 'Neuer Messwert', about: 'Jeder Messwert des Geräts' },
  newMsg: { label: 'Neue Nachricht', about: 'Jede Nachricht vom Gerät' },
  newLoc: { label: 'Neue Position', about: 'Jede Position des Geräts' },
  newWakeLoc: { label: 'Neue Position, wach', about: 'Jede Position, solange wach oder in Bewegung' },
  newAvailLoc: { label: 'Neue Position, bereit', about: 'Jede Position im Bereitschaftsmodus' },
  expiresDaily: { label: 'Tarif läuft in einem Tag ab', about: 'Der Tarif läuft innerhalb eines Tages ab' },
  expiresWeekly: { label: 'Tarif läuft in einer Woche ab', about: 'Der Tarif läuft innerhalb einer Woche ab' },
  maintenance: { label: 'Wartung', about: 'Eine Wartung ist fällig oder wird es bald' },
};

export const triggers: Texts['triggers'] = {
  title: 'Auslöser',
  lead: 'Ein Auslöser beobachtet ein Gerät und benachrichtigt Sie, wenn etwas passiert.',
  add: 'Neuer Auslöser',
  addFor: (device) => `Auslöser für ${device} hinzufügen`,
  addShort: 'Hinzufügen',
  searchDevices: 'Geräte suchen',
  none: 'Keine Auslöser',
  lastFired: (when) => `zuletzt ausgelöst ${when}`,
  neverFired: 'nie ausgelöst',
  unnamedDevice: (id) => `Gerät ${id}`,
  noDevices: 'Noch keine Geräte zu beobachten',
  noDevicesText: 'Fügen Sie zuerst ein Gerät hinzu, dann Auslöser dafür.',
  toMap: 'Zur Karte',
  nothingFound: 'Keine Geräte gefunden',
  gone: 'Auslöser nicht gefunden',
  delete: 'Löschen',
  deleted: (name) => `„${name}“ wurde gelöscht`,
  undo: 'Rückgängig',
  seeFired: 'Meldungen ansehen',
  unknownType: (type) => `Auslöser vom Typ ${type}`,

  newTitle: 'Neuer Auslöser',
  editTitle: 'Auslöser bearbeiten',
  back: 'Auslöser',
  device: 'Gerät',
  pickDevice: 'Gerät wählen',
  someDevice: 'das Gerät',
  anotherDevice: 'ein anderes Gerät',
  when: 'Bedingung',
  chooseType: 'Wählen Sie, was auslöst',
  changeType: 'Ändern',
  groups: {
    places: 'Orte',
    movement: 'Bewegung',
    state: 'Akku und Verbindung',
    alerts: 'Alarme',
    measures: 'Messwerte',
    data: 'Alle eingehenden Daten',
    plans: 'Tarif',
  },
  types,
  name: 'Name',
  nameHint: 'Erscheint in Listen und in Webhook-Nachrichten. Leer: der Typ des Auslösers.',
  how: 'Kanäle für Meldungen',
  rest: 'Optionen',
  ways: {
    form: 'Format der Nachrichten',
    forms: { plain: 'Einfaches JSON', envelope: 'JSON in einem Umschlag' },
    formHints: {
      plain: 'Für jedes Programm leicht zu lesen.',
      envelope: 'Die Form von Amazon SNS: Die Nachricht steht als Text im JSON. Für Empfänger, die das erwarten.',
    },
    example: 'Beispiel zeigen',
    exampleMessage: 'Der Text der Benachrichtigung',
    exampleHint: 'Erfundene Werte. Echte Nachrichten haben einige Felder mehr.',
    notSetUp:
      'Dieser Kanal ist auf diesem Server nicht eingerichtet. Bis der Betreiber ihn einrichtet, wird nichts gesendet.',
  },
  muteFor: 'Nach dem Auslösen stumm für',
  muteForHint: 'Meldungen in dieser Zeit werden aufgezeichnet, aber nicht gesendet. 0: nie stumm.',
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
    zone: 'Geofence',
    anyZone: 'Jeder meiner Geofences',
    groupZone: (group) => `Gruppe: ${group}`,
    goneZone: (id) => `Geofence ${id} (gelöscht)`,
    noZones: 'Sie haben noch keine Geofences.',
    drawZone: 'Einen zeichnen',
    zoneType: 'Löst aus, wenn das Gerät ihn',
    zoneTypes: { inside: 'Erreicht', outside: 'Verlässt', cross: 'Beides' },
    limit: 'Grenze',
    lasts: 'Mindestens',
    lastsHint: 'Kürzere Zeiten lösen nicht aus.',
    threshold: 'Akku bei höchstens',
    days: 'Tage',
    daysHint: 'Ohne Auswahl: jeden Tag. Tage beginnen um Mitternacht UTC.',
    dayNames: ['So', 'Mo', 'Di', 'Mi', 'Do', 'Fr', 'Sa'],
    min: 'Unter',
    max: 'Über',
    oneOf: 'Geben Sie mindestens einen der beiden Werte ein.',
    mask: 'Alarme',
    maskHint: 'Ohne Auswahl: alle Alarme.',
    alerts: ALERTS,
    alarms: 'Alarme',
    alarmsHint: 'Ohne Auswahl: alle Alarme.',
    otherDevice: 'Anderes Gerät',
    near: 'Näher als',
    towed: 'Bewegt sich mehr als',
    towedHint: 'Löst nur bei Geräten aus, die ihre Zündung mitteilen.',
    after: 'Nichts empfangen seit',
    readingType: 'Art des Messwerts',
    readingTypeHint: 'Zum Beispiel temp oder humidity. Leer: alle Arten.',
    nothing: 'Dieser Auslöser hat keine Einstellungen.',
  },

  sentence: (clause, ways, muteFor) =>
    `Wenn ${clause}, ${ways.length === 0 ? 'wird es aufgezeichnet, ohne jemanden zu benachrichtigen' : allOf(ways)}${
      muteFor > 0 ? `, danach Ruhe für ${lasting(muteFor, 'Tage')}` : ''
    }.`,
  clauses,
  why,
  anyZone: 'irgendeinen Geofence',
  zonesOf: (group) => `einen Geofence der Gruppe „${group}“`,

  save: 'Speichern',
  create: 'Auslöser anlegen',
  cancel: 'Abbrechen',
  saved: 'Gespeichert',
  created: 'Auslöser angelegt',
  needsDevice: 'Wählen Sie ein Gerät.',
  mayNotManage:
    'Sie können dieses Gerät nur ansehen. Um Auslöser hinzuzufügen, bitten Sie den Eigentümer um das Recht, es zu verwalten.',

  try: {
    title: 'An den letzten 7 Tagen testen',
    lead: 'Sehen Sie, wann dieser Auslöser ausgelöst hätte. Niemand wird benachrichtigt.',
    run: 'Test starten',
    again: 'Erneut testen',
    none: 'Er hätte nicht ausgelöst.',
    times: (count) => `Er hätte ${count === 1 ? 'einmal' : `${number(count)}-mal`} ausgelöst.`,
    perDay: (perDay) => `Das ist etwa ${perDay}-mal am Tag.`,
    incomplete: 'Es waren zu viele Daten für den ganzen Zeitraum; es können also mehr sein.',
    more: (count) => `und ${number(count)} weitere`,
    stale: 'Der Auslöser wurde seit diesem Test geändert. Testen Sie erneut.',
  },
};
