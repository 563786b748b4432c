import { countedIn, number } from '../counting.ts';
import { slotRanges } from '../slot-ranges.ts';
import type { Texts } from '../translation.ts';

const many = countedIn('de');

const OWNED: Readonly<Record<string, (count: number) => string>> = {
  destinations: (count) => `sendet an ${many(count, 'Ziel', 'Ziele')}`,
  replays: (count) => `wertet ${many(count, 'Gerät', 'Geräte')} neu aus`,
  housekeeping: () => 'räumt auf',
  broker: () => 'hört auf den MQTT-Broker',
};

export const health: Texts['health'] = {
  title: 'Zustand',
  lead: 'Der Zustand dieses Servers, alle fünf Sekunden aktualisiert.',
  allWell: 'Alles in Ordnung',
  diskFree: 'Freier Speicherplatz',
  growth: 'Wachstum',
  aDay: (perDay) => `${perDay} pro Tag`,
  diskFullOn: 'Datenträger voll etwa am',
  retention: {
    title: 'Gespeicherter Verlauf',
    lead: 'Wie viele Tage jede Art von Verlauf gespeichert wird und was bis jetzt entfernt würde. 0 Tage: für immer. Der Server liest diese Tage aus seinen Einstellungen; hier können Sie andere ausprobieren. Nichts wird entfernt.',
    kind: 'Art',
    days: 'Tage',
    count: 'Würde entfernt',
    bytes: 'Etwa',
    oldest: 'Ältester Eintrag',
    newest: 'Neuester Eintrag',
    nothing: 'Nichts würde entfernt.',
    kinds: {
      positions: 'Positionen',
      thinned: 'Positionen, ausgedünnt auf eine in 30 Sekunden (geschätzt)',
      readings: 'Messwerte',
      trips: 'Fahrten und Stopps',
      notifications: 'Benachrichtigungen',
      checkpoints: 'Frühere Zustände von Geräten',
      ruleVersions: 'Beendete Fassungen von Auslösern',
    },
  },
  ofDisk: (free, total) => `${free} von ${total}`,
  someDown: (count) => (count === 1 ? '1 Ziel ist nicht erreichbar' : `${number(count)} Ziele sind nicht erreichbar`),
  someDead: (count) => `${many(count, 'Zustellung', 'Zustellungen')} fehlgeschlagen`,
  toOutbox: 'Postausgang ansehen',
  coming: 'Eingang',
  reports: 'Übertragen pro Minute',
  positions: 'Positionen pro Minute',
  devices: 'Geräte online',
  ofDevices: (count) => `von ${count}`,
  streams: 'Live-Verbindungen',
  going: 'Ausgang',
  waiting: 'Wartende Zustellungen',
  dead: 'Fehlschläge in 30 Tagen',
  down: 'Ziele nicht erreichbar',
  users: 'Benutzer',
  nodes: {
    title: 'Knoten',
    up: 'Läuft',
    gone: 'Weg',
    isThis: 'antwortet Ihnen',
    lag: (ms) => `${ms} ms verspätet`,
    reports: (count) => `${count} Übertragungen pro Minute`,
    owns: (what, count) => OWNED[what]?.(count) ?? `${what}: ${count}`,
    slots: (slots) => `führt die Uhren von ${many(slots.length, 'Slot', 'Slots')} (${slotRanges(slots)})`,
    clock: (seconds) =>
      seconds > 0
        ? `seine Uhr geht gegenüber der Datenbank ${seconds} s vor`
        : `seine Uhr geht gegenüber der Datenbank ${-seconds} s nach`,
    lastSeen: 'zuletzt gehört',
    goneSince: 'weg seit',
  },
  process: 'Server',
  node: 'Node',
  version: 'Version',
  uptime: 'Läuft seit',
  since: 'Gestartet',
  engine: 'Datenbank',
  engines: { sqlite: 'SQLite', postgres: 'PostgreSQL' },
  size: 'Größe der Datenbank',
  memory: 'Arbeitsspeicher',
  metrics: 'Messwerte für Prometheus gibt es unter /metrics.',
};
