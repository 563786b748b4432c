import { countedIn, number } from '../counting.ts';
import { slotRanges } from '../slot-ranges.ts';
import type { Texts } from '../translation.ts';

const many = countedIn('fr');

const OWNED: Readonly<Record<string, (count: number) => string>> = {
  destinations: (count) => `envoie à ${many(count, 'destination', 'destinations')}`,
  replays: (count) => `réévalue ${many(count, 'appareil', 'appareils')}`,
  housekeeping: () => 'fait le ménage',
  broker: () => 'écoute le courtier MQTT',
};

export const health: Texts['health'] = {
  title: 'État',
  lead: 'L’état de ce serveur, actualisé toutes les cinq secondes.',
  allWell: 'Tout fonctionne',
  diskFree: 'Espace disque libre',
  growth: 'Croissance',
  aDay: (perDay) => `${perDay} par jour`,
  diskFullOn: 'Disque plein vers le',
  retention: {
    title: 'Historique conservé',
    lead: 'Combien de jours chaque type d’historique est conservé, et ce qui serait supprimé à ce jour. 0 jour : pour toujours. Le serveur lit ces jours dans ses réglages ; vous pouvez en essayer d’autres ici. Rien n’est supprimé.',
    kind: 'Type',
    days: 'Jours',
    count: 'Serait supprimé',
    bytes: 'Environ',
    oldest: 'Le plus ancien',
    newest: 'Le plus récent',
    nothing: 'Rien ne serait supprimé.',
    kinds: {
      positions: 'Positions',
      thinned: 'Positions réduites à une par 30 secondes (estimation)',
      readings: 'Mesures',
      trips: 'Trajets et arrêts',
      notifications: 'Notifications',
      checkpoints: 'États antérieurs des appareils',
      ruleVersions: 'Versions terminées de déclencheurs',
    },
  },
  ofDisk: (free, total) => `${free} sur ${total}`,
  someDown: (count) =>
    count === 1 ? '1 destination est injoignable' : `${number(count)} destinations sont injoignables`,
  someDead: (count) => (count === 1 ? '1 envoi a échoué' : `${number(count)} envois ont échoué`),
  toOutbox: 'Voir la boîte d’envoi',
  coming: 'Réception',
  reports: 'Transmissions par minute',
  positions: 'Positions par minute',
  devices: 'Appareils en ligne',
  ofDevices: (count) => `sur ${count}`,
  streams: 'Flux en direct',
  going: 'Envoi',
  waiting: 'Envois en attente',
  dead: 'Échecs en 30 jours',
  down: 'Destinations injoignables',
  users: 'Utilisateurs',
  nodes: {
    title: 'Nœuds',
    up: 'Actif',
    gone: 'Disparu',
    isThis: 'vous répond',
    lag: (ms) => `${ms} ms de retard`,
    reports: (count) => `${count} transmissions par minute`,
    owns: (what, count) => OWNED[what]?.(count) ?? `${what} : ${count}`,
    slots: (slots) => `tient les horloges de ${many(slots.length, 'slot', 'slots')} (${slotRanges(slots)})`,
    clock: (seconds) =>
      seconds > 0
        ? `son horloge avance de ${seconds} s sur la base de données`
        : `son horloge retarde de ${-seconds} s sur la base de données`,
    lastSeen: 'dernier signe',
    goneSince: 'disparu depuis',
  },
  process: 'Serveur',
  node: 'Node',
  version: 'Version',
  uptime: 'En service depuis',
  since: 'Démarré',
  engine: 'Base de données',
  engines: { sqlite: 'SQLite', postgres: 'PostgreSQL' },
  size: 'Taille de la base',
  memory: 'Mémoire',
  metrics: 'Les métriques pour Prometheus sont disponibles sous /metrics.',
};
