import type { Texts } from '../translation.ts';

export const ground: Texts['ground'] = {
  layers: 'Kartenebenen',
  world: 'Weltkarte',
  streets: 'Straßen',
  satellite: 'Satellit',
  region: (name) => name.replace(/\.pmtiles$/, ''),
  failed: 'Die Straßenkarte konnte nicht geladen werden. Sie sehen die eingebaute Karte.',
  retry: 'Erneut versuchen',
  foreign: (hosts) =>
    `Dieser Kartenstil lädt auch Daten von ${hosts}. Ein Admin kann das in den Einstellungen erlauben.`,
  choose: 'Andere Karte wählen',
  noStreets: 'Diese Karte hat noch keine Straßen.',
  chooseStreets: 'Karte wählen',

  title: 'Karte',
  lead: 'Was Karten unter Ihren Geräten zeigen, für alle Benutzer dieses Servers.',
  fixed: 'Der Betreiber hat die Karte mit TRACKWAY_MAP_STYLE festgelegt, sie lässt sich hier nicht ändern.',
  choices: {
    world: 'Eingebaute Weltkarte',
    public: 'Öffentliche Straßenkarte',
    style: 'Eigener Kartenstil',
    region: 'Kartendatei auf diesem Server',
  },
  hints: {
    world: 'Küsten, Grenzen und Orte. Keine Straßen. Nichts wird von anderswo geladen.',
    public: (host) =>
      `Straßen der ganzen Welt von OpenFreeMap, aus Daten von OpenStreetMap, kostenlos. Browser laden sie von ${host}; dort sieht man daher ihre IP-Adresse und den betrachteten Ausschnitt.`,
    style: 'Ein beliebiger MapLibre-Stil, etwa der Ihres eigenen Kachelservers. Browser laden ihn von dort.',
    region:
      'Straßen ohne Internet. Legen Sie eine PMTiles-Datei mit der Protomaps-Karte Ihrer Region in den Datenordner des Servers und wählen Sie sie hier.',
  },
  style: 'URL des Stils',
  stylePlaceholder: 'https://tiles.example.com/style.json',
  hosts: 'Weitere Server des Stils',
  hostsHint: 'Woher er Kacheln, Schriften und Symbole lädt, wenn nicht vom selben Server. Mit Leerzeichen trennen.',
  file: 'Kartendatei',
  noFiles: 'Im Datenordner ist noch keine .pmtiles-Datei.',
  megabytes: (megabytes) => `${megabytes} MB`,
  ask: (host) => `Die Browser aller Benutzer laden die Karte von ${host}.`,
  save: 'Diese Karte verwenden',
  first: 'Möchten Sie Straßen auf der Karte?',
  later: 'Später',
};
