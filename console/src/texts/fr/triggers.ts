import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import { allOf, anyOf, countedIn, number } from '../counting.ts';
import type { Texts } from '../translation.ts';
import type { ClauseParts, WhyParts } from '../trigger-parts.ts';

const many = countedIn('fr');

/** "2 minutes", "1 heure 30 minutes" */
function lasting(seconds: number): string {
  if (seconds < 60) return many(Math.round(seconds), 'seconde', 'secondes');
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return many(minutes, 'minute', 'minutes');
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours < 24) return many(hours, 'heure', 'heures') + (rest > 0 ? ` ${many(rest, 'minute', 'minutes')}` : '');
  return many(Math.round(hours / 24), 'jour', 'jours');
}

const DAYS = ['dimanche', 'lundi', 'mardi', 'mercredi', 'jeudi', 'vendredi', 'samedi'];
const ALERTS = ['Chute', 'Rotation', 'Brouillage', 'Bouton', 'Générale', 'Contact'];

const measured = (what: string, { min, max }: ClauseParts) => {
  if (min !== undefined && max !== undefined) return `${what} passe sous ${min} ou au-dessus de ${max}`;
  if (min !== undefined) return `${what} passe sous ${min}`;
  return max === undefined ? `${what} sort des limites` : `${what} passe au-dessus de ${max}`;
};

const enters = (zone: string, after: number) =>
  after > 0 ? `est dans ${zone} depuis ${lasting(after)}` : `entre dans ${zone}`;
const leaves = (zone: string, after: number) =>
  after > 0 ? `est hors de ${zone} depuis ${lasting(after)}` : `quitte ${zone}`;
const crosses = ({ zone, enterAfter, exitAfter }: ClauseParts) =>
  enterAfter === 0 && exitAfter === 0
    ? `entre dans ${zone} ou en sort`
    : `${enters(zone, enterAfter)} ou ${leaves(zone, exitAfter)}`;

const onDays = (days: readonly number[]) =>
  days.length === 0 || days.length === DAYS.length ? 'en un jour' : `un ${anyOf(days.map((day) => DAYS[day]!))}`;

function alertsIn(mask: number | undefined): string {
  const named = ALERTS.filter((_, bit) => ((mask ?? 0) & (1 << bit)) !== 0).map((name) => name.toLowerCase());
  if (!mask) return 'une alerte';
  return named.length === 0 ? 'une des alertes choisies' : `une alerte (${anyOf(named)})`;
}

const clauses: Record<TriggerTypeName, (device: string, parts: ClauseParts) => string> = {
  newLoc: (device) => `${device} transmet une position`,
  newWakeLoc: (device) => `${device} transmet une position, éveillé ou en mouvement`,
  newAvailLoc: (device) => `${device} transmet une position en mode disponible`,
  newReading: (device, { readingType }) =>
    readingType ? `${device} transmet une mesure de type ${readingType}` : `${device} transmet une mesure`,
  newMsg: (device) => `${device} envoie un message`,
  geofence: (device, parts) =>
    ({
      inside: `${device} ${enters(parts.zone, parts.enterAfter)}`,
      outside: `${device} ${leaves(parts.zone, parts.exitAfter)}`,
      cross: `${device} ${crosses(parts)}`,
    })[parts.zoneType],
  geoEntry: (device, { zone, enterAfter }) => `${device} ${enters(zone, enterAfter)}`,
  lowBat: (device, { threshold }) => `la batterie de ${device} tombe à ${threshold} ou moins`,
  speed: (device, { limit, lasts }) =>
    lasts > 0 ? `${device} dépasse ${limit} depuis ${lasting(lasts)}` : `${device} dépasse ${limit}`,
  distance: (device, { limit, days }) => `${device} parcourt plus de ${limit} ${onDays(days)}`,
  temp: (device, parts) => measured(`la température de ${device}`, parts),
  temp_bme: (device, parts) => measured(`la température (BME) de ${device}`, parts),
  humidity: (device, parts) => measured(`l’humidité à ${device}`, parts),
  pressure: (device, parts) => measured(`la pression à ${device}`, parts),
  lightLevel: (device, parts) => measured(`la luminosité à ${device}`, parts),
  ultraLevel: (device, parts) => measured(`la distance ultrason de ${device}`, parts),
  button: (device) => `le bouton de ${device} est pressé`,
  acc: (device) => `${device} tombe`,
  alertMode: (device, { mask }) => `${device} émet ${alertsIn(mask)}`,
  alarm: (device, { alarms }) => `${device} émet ${alarms.length === 0 ? 'une alarme' : `l’alarme ${anyOf(alarms)}`}`,
  extAccel: (device, { limit }) => `la force maximale sur ${device} dépasse ${limit}`,
  proximity: (device, { other, meters }) => `${device} est à moins de ${meters} de ${other}`,
  motionStart: (device, { lasts }) =>
    lasts > 0 ? `${device} est en mouvement depuis ${lasting(lasts)}` : `${device} se met en mouvement`,
  motionStop: (device, { lasts }) =>
    lasts > 0 ? `${device} est à l’arrêt depuis ${lasting(lasts)}` : `${device} s’arrête`,
  tow: (device, { meters }) => `${device} est remorqué : se déplace de plus de ${meters}, contact coupé`,
  offline: (device, { after }) => `${device} n’a rien transmis depuis ${after > 0 ? lasting(after) : '…'}`,
  expiresDaily: (device) => `le forfait de ${device} expire dans un jour au plus`,
  expiresWeekly: (device) => `le forfait de ${device} expire dans une semaine au plus`,
  maintenance: (device) => `un entretien de ${device} est à faire, maintenant ou bientôt`,
};

function crossed(device: string, { crossing }: WhyParts): string | undefined {
  if (crossing === undefined) return undefined;
  const { fence, where, accuracy, sure, isStopped, isPassage } = crossing;
  if (isPassage) return `${device} a traversé ${fence ?? 'le géorepère'} entre deux positions. ${sure}.`;
  const of = fence === undefined ? 'du géorepère' : `de ${fence}`;
  return `${device} était ${isStopped ? 'arrêté ' : ''}à ${where} ${of} (± ${accuracy}). ${sure}.`;
}

const measuredAt =
  (what: string) =>
  (device: string, { value, below, above }: WhyParts) => {
    if (below !== undefined) return `${what} ${device} était de ${value}, sous le minimum de ${below}.`;
    return `${what} ${device} était de ${value}${above === undefined ? '' : `, au-dessus du maximum de ${above}`}.`;
  };
const planExpires = (device: string, { expires }: WhyParts) => `Le forfait de ${device} expire le ${expires}.`;

const why: Record<TriggerTypeName, (device: string, parts: WhyParts) => string | undefined> = {
  newLoc: (device) => `${device} a transmis une position.`,
  newWakeLoc: (device) => `${device} a transmis une position, éveillé ou en mouvement.`,
  newAvailLoc: (device) => `${device} a transmis une position en mode disponible.`,
  newReading: (device, { readingType, value }) => `${device} a transmis une mesure de type ${readingType} : ${value}.`,
  newMsg: (device) => `${device} a envoyé un message.`,
  geofence: crossed,
  geoEntry: crossed,
  lowBat: (device, { value, threshold }) => `La batterie de ${device} était à ${value}. Le seuil est de ${threshold}.`,
  speed: (device, { value, limit }) => `${device} roulait à ${value}. La limite est de ${limit}.`,
  distance: (device, { value, limit }) => `${device} a parcouru ${value} ce jour-là (UTC). La limite est de ${limit}.`,
  temp: measuredAt('La température de'),
  temp_bme: measuredAt('La température (BME) de'),
  humidity: measuredAt('L’humidité à'),
  pressure: measuredAt('La pression à'),
  lightLevel: measuredAt('La luminosité à'),
  ultraLevel: measuredAt('La distance ultrason de'),
  button: (device) => `Le bouton de ${device} a été pressé.`,
  acc: (device) => `${device} a signalé une chute.`,
  alertMode: (device, { alerts }) => `${device} a émis une alerte${alerts === undefined ? '' : ` : ${alerts}`}.`,
  alarm: (device, { value }) => `${device} a émis une alarme : ${value}.`,
  extAccel: measuredAt('La force maximale sur'),
  proximity: (device, { other = 'l’autre appareil', apart }) =>
    apart === undefined ? `${device} a détecté ${other} par Bluetooth.` : `${device} était à ${apart} de ${other}.`,
  motionStart: (device, { since }) => `${device} s’est mis en mouvement : ${since}.`,
  motionStop: (device, { since }) => `${device} s’est arrêté : ${since}.`,
  tow: (device, { value, limit }) =>
    `${device} s’est déplacé de ${value} alors que le contact était coupé. La limite est de ${limit}.`,
  offline: (device, { heardAt, after }) =>
    `Dernière transmission de ${device} : ${heardAt}. Le déclencheur agit après ${after} sans transmission.`,
  expiresDaily: planExpires,
  expiresWeekly: planExpires,
  maintenance: (device, { task, rest }) =>
    rest === undefined
      ? `${task} : l’entretien de ${device} était à faire.`
      : `${task} : l’entretien de ${device} était à faire dans ${rest}.`,
};

const OUT_OF_BOUNDS = 'Sous un minimum ou au-dessus d’un maximum';
const types: Record<TriggerTypeName, { label: string; about: string }> = {
  geofence: { label: 'Entrée ou sortie d’un géorepère', about: 'L’appareil entre dans un géorepère ou en sort' },
  geoEntry: { label: 'Entrée dans un géorepère', about: 'L’appareil entre dans un géorepère' },
  proximity: { label: 'Proximité', about: 'L’appareil s’approche d’un autre appareil' },
  motionStart: { label: 'Mise en mouvement', about: 'L’appareil repart après un arrêt' },
  motionStop: { label: 'Arrêt', about: 'L’appareil s’arrête' },
  speed: { label: 'Excès de vitesse', about: 'L’appareil dépasse une vitesse' },
  distance: { label: 'Distance du jour', about: 'L’appareil dépasse une distance en un jour' },
  tow: { label: 'Remorquage', about: 'L’appareil se déplace, contact coupé' },
  lowBat: { label: 'Batterie faible', about: 'La batterie tombe à un seuil' },
  offline: { label: 'Hors ligne', about: 'L’appareil ne transmet plus' },
  button: { label: 'Bouton', about: 'Le bouton de l’appareil est pressé' },
  acc: { label: 'Chute', about: 'L’appareil tombe' },
  alertMode: { label: 'Alerte', about: 'Chute, rotation, brouillage, bouton, etc.' },
  alarm: { label: 'Alarme d’un traceur', about: 'SOS, coupure, porte, freinage brusque, etc.' },
  extAccel: { label: 'Force élevée', about: 'La force maximale dépasse une limite' },
  temp: { label: 'Température', about: OUT_OF_BOUNDS },
  temp_bme: { label: 'Température (BME)', about: OUT_OF_BOUNDS },
  humidity: { label: 'Humidité', about: OUT_OF_BOUNDS },
  pressure: { label: 'Pression', about: OUT_OF_BOUNDS },
  lightLevel: { label: 'Luminosité', about: OUT_OF_BOUNDS },
  ultraLevel: { label: 'Distance ultrason', about: OUT_OF_BOUNDS },
  newReading: { label: 'Nouvelle mesure', about: 'Chaque mesure de l’appareil' },
  newMsg: { label: 'Nouveau message', about: 'Chaque message de l’appareil' },
  newLoc: { label: 'Nouvelle position', about: 'Chaque position de l’appareil' },
  newWakeLoc: { label: 'Nouvelle position, éveillé', about: 'Chaque position, éveillé ou en mouvement' },
  newAvailLoc: { label: 'Nouvelle position, disponible', about: 'Chaque position en mode disponible' },
  expiresDaily: { label: 'Forfait : expire dans un jour', about: 'Le forfait expire dans un jour au plus' },
  expiresWeekly: { label: 'Forfait : expire dans une semaine', about: 'Le forfait expire dans une semaine au plus' },
  maintenance: { label: 'Entretien', about: 'Un entretien est à faire, maintenant ou bientôt' },
};

export const triggers: Texts['triggers'] = {
  title: 'Déclencheurs',
  lead: 'Un déclencheur surveille un appareil et vous prévient quand quelque chose se passe.',
  add: 'Nouveau déclencheur',
  addFor: (device) => `Ajouter un déclencheur pour ${device}`,
  addShort: 'Ajouter',
  searchDevices: 'Rechercher des appareils',
  none: 'Aucun déclencheur',
  lastFired: (when) => `déclenché ${when}`,
  neverFired: 'jamais déclenché',
  unnamedDevice: (id) => `Appareil ${id}`,
  noDevices: 'Aucun appareil à surveiller',
  noDevicesText: 'Ajoutez d’abord un appareil, puis des déclencheurs.',
  toMap: 'Aller à la carte',
  nothingFound: 'Aucun appareil trouvé',
  gone: 'Déclencheur introuvable',
  delete: 'Supprimer',
  deleted: (name) => `« ${name} » a été supprimé`,
  undo: 'Annuler',
  seeFired: 'Voir les notifications',
  unknownType: (type) => `Déclencheur de type ${type}`,

  newTitle: 'Nouveau déclencheur',
  editTitle: 'Modifier le déclencheur',
  back: 'Déclencheurs',
  device: 'Appareil',
  pickDevice: 'Choisir un appareil',
  someDevice: 'l’appareil',
  anotherDevice: 'un autre appareil',
  when: 'Condition',
  chooseType: 'Choisissez ce qui déclenche',
  changeType: 'Changer',
  groups: {
    places: 'Lieux',
    movement: 'Mouvement',
    state: 'Batterie et connexion',
    alerts: 'Alertes',
    measures: 'Mesures',
    data: 'Toutes les données reçues',
    plans: 'Forfait',
  },
  types,
  name: 'Nom',
  nameHint: 'Affiché dans les listes et joint aux messages des webhooks. Vide : le type du déclencheur.',
  how: 'Canaux de notification',
  rest: 'Options',
  ways: {
    form: 'Format des messages',
    forms: { plain: 'JSON simple', envelope: 'JSON dans une enveloppe' },
    formHints: {
      plain: 'Facile à lire pour tout programme.',
      envelope: 'La forme d’Amazon SNS : le message est un texte dans le JSON. Pour les destinataires qui l’attendent.',
    },
    example: 'Voir un exemple',
    exampleMessage: 'Le texte de la notification',
    exampleHint: 'Valeurs inventées. Les vrais messages ont quelques champs de plus.',
    notSetUp:
      'Ce canal n’est pas configuré sur ce serveur. Rien n’est envoyé tant que l’exploitant ne l’a pas configuré.',
  },
  muteFor: 'Silence après déclenchement',
  muteForHint: 'Pendant ce temps, les notifications sont enregistrées mais pas envoyées. 0 : jamais de silence.',
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
    zone: 'Géorepère',
    anyZone: 'Un de mes géorepères',
    groupZone: (group) => `Groupe : ${group}`,
    goneZone: (id) => `Géorepère ${id} (supprimé)`,
    noZones: 'Vous n’avez pas encore de géorepère.',
    drawZone: 'En dessiner un',
    zoneType: 'Se déclenche quand l’appareil',
    zoneTypes: { inside: 'Entre', outside: 'Sort', cross: 'Entre ou sort' },
    limit: 'Limite',
    lasts: 'Pendant au moins',
    lastsHint: 'Une durée plus courte ne déclenche pas.',
    threshold: 'Batterie à, ou sous',
    days: 'Jours',
    daysHint: 'Aucun choix : tous les jours. Les jours commencent à minuit UTC.',
    dayNames: ['Di', 'Lu', 'Ma', 'Me', 'Je', 'Ve', 'Sa'],
    min: 'Sous',
    max: 'Au-dessus de',
    oneOf: 'Saisissez au moins l’une des deux valeurs.',
    mask: 'Alertes',
    maskHint: 'Aucun choix : toutes les alertes.',
    alerts: ALERTS,
    alarms: 'Alarmes',
    alarmsHint: 'Aucun choix : toutes les alarmes.',
    otherDevice: 'Autre appareil',
    near: 'À moins de',
    towed: 'Se déplace de plus de',
    towedHint: 'Seulement pour les appareils qui signalent leur contact.',
    after: 'Rien reçu depuis',
    readingType: 'Type de mesure',
    readingTypeHint: 'Par exemple temp ou humidity. Vide : tous les types.',
    nothing: 'Ce déclencheur n’a pas de réglages.',
  },

  sentence: (clause, ways, muteFor) =>
    `Quand ${clause}, ${ways.length === 0 ? 'l’enregistrer sans prévenir personne' : allOf(ways)}${
      muteFor > 0 ? `, puis silence pendant ${lasting(muteFor)}` : ''
    }.`,
  clauses,
  why,
  anyZone: 'n’importe quel géorepère',
  zonesOf: (group) => `un géorepère du groupe « ${group} »`,

  save: 'Enregistrer',
  create: 'Créer le déclencheur',
  cancel: 'Annuler',
  saved: 'Enregistré',
  created: 'Déclencheur créé',
  needsDevice: 'Choisissez un appareil.',
  mayNotManage:
    'Vous pouvez seulement consulter cet appareil. Pour ajouter des déclencheurs, demandez au propriétaire le droit de le gérer.',

  try: {
    title: 'Tester sur les 7 derniers jours',
    lead: 'Voyez quand ce déclencheur aurait agi. Personne n’est prévenu.',
    run: 'Lancer le test',
    again: 'Relancer',
    none: 'Il n’aurait pas agi.',
    times: (count) => `Il aurait agi ${number(count)} fois.`,
    perDay: (perDay) => `Soit environ ${perDay} fois par jour.`,
    incomplete: 'Il y avait trop de données pour toute la période ; il peut y en avoir davantage.',
    more: (count) => `et ${number(count)} de plus`,
    stale: 'Le déclencheur a changé depuis ce test. Relancez-le.',
  },
};
