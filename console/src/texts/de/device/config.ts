import type { Texts } from '../../translation.ts';

export const deviceConfig: Texts['deviceConfig'] = {
  waits: 'Änderungen stehen aus.',
  waitsSince: 'Das Gerät übernimmt sie bei der nächsten Verbindung. Geändert',
  taken: 'Aktuell. Das Gerät hat diese Einstellungen bestätigt',
  never: 'Das Gerät hat noch keine Einstellungen bestätigt.',
  sendAgain: 'Erneut senden',
  sentAgain: 'Die Einstellungen werden bei der nächsten Verbindung erneut gesendet',
  saved: 'Gespeichert. Das Gerät übernimmt die Änderungen bei der nächsten Verbindung.',
  changes: (count) => (count === 1 ? '1 ungespeicherte Änderung' : `${count} ungespeicherte Änderungen`),
  discard: 'Verwerfen',
  save: 'Speichern',
  viewOnly:
    'Sie können diese Einstellungen ansehen. Um sie zu ändern, bitten Sie den Eigentümer um das Recht, das Gerät zu verwalten.',
  usually: (value) => `Standard: ${value}.`,
  makes: (time) => `Ergibt ${time}.`,
  bounds: (low, high) => `Geben Sie eine ganze Zahl von ${low} bis ${high} ein.`,
  atLeast: (low) => `Geben Sie eine ganze Zahl von mindestens ${low} ein.`,

  sections: {
    contact: 'Senden',
    wake: 'Aufwachen und Schlafen',
    movement: 'Bewegung',
    position: 'Ortung',
    behavior: 'Funk und Energie',
    timed: 'Zeitplan',
    orders: 'Einmalige Befehle',
  },
  seconds: 's',
  minutes: 'min',
  halfMinutes: '× 30 s',
  mah: 'mAh',

  fields: {
    interval: {
      label: 'Intervall, wach',
      hint: 'Kürzere Intervalle zeigen sich früher auf der Karte, kosten aber mehr Akku.',
    },
    sleepInterval: {
      label: 'Intervall, im Schlaf',
      hint: 'So oft verbindet sich das Gerät, auch wenn nichts passiert.',
    },
    packing: { label: 'Positionen pro Übertragung', hint: 'Mehr Positionen sparen Energie, kommen aber später an.' },
    transmitTimeout: {
      label: 'Zeitlimit der Übertragung',
      hint: 'In Einheiten von 30 Sekunden. 0: das Gerät entscheidet.',
    },
    movementSensitivity: {
      label: 'Bewegungsempfindlichkeit',
      hint: '1 erkennt die kleinste Bewegung, 10 nur starke.',
    },
    movementSensitivity2: {
      label: 'Bewegungsempfindlichkeit, wach',
      hint: '1 erkennt die kleinste Bewegung, 10 nur starke.',
    },
    debounce: {
      label: 'Dauer der Bewegung',
      hint: 'Wie lange eine Bewegung dauern muss, bevor sie zählt: 1 sofort, 10 am längsten.',
    },
    stopTimeout: { label: 'Steht nach', hint: 'Zeit ohne Bewegung, bis das Gerät als stehend gilt.' },
    gpsTimeout: {
      label: 'GPS-Zeitlimit',
      hint: 'Wie lange nach Satelliten gesucht wird, bevor WLAN oder Mobilfunk genutzt werden.',
    },
    gpsStabilize: { label: 'GPS-Beruhigungszeit', hint: 'Länger ist genauer, kostet aber mehr Energie.' },
    gpsCheckInterval: { label: 'GPS-Wiederholung', hint: 'Wie oft es erneut versucht wird, solange kein GPS da ist.' },
    tolerancePercentage: {
      label: 'Energie pro Übertragung',
      hint: 'So viel Akku darf eine Übertragung höchstens verbrauchen.',
    },
    homeWifiNetwork: { label: 'WLAN zu Hause', hint: 'Das Gerät ist zu Hause, wenn es dieses WLAN erkennt.' },
    wakeAction: { label: 'Aktion beim Aufwachen', hint: 'normal, available oder eine andere, die das Gerät kennt.' },
    alertAction: {
      label: 'Aktion bei Alarm',
      hint: 'nothing, available, lockOn oder eine andere, die das Gerät kennt.',
    },
    safeZoneId: { label: 'Sichere Zone', hint: 'Ein Geofence, in dem das Gerät schlafen darf.' },
    reset: { label: 'Neu starten', hint: 'Einmal, bei der nächsten Verbindung.' },
    command: { label: 'Befehl', hint: 'Eine Befehlsnummer, die das Gerät kennt. Wird einmal gesendet.' },
  },
  noZone: 'Keine',
  unknown: 'unbekannt',
  resets: {
    none: 'Nein',
    0: 'Neu starten',
    1: 'Neu starten und gespeicherte Einstellungen löschen',
    2: 'Neu starten und Bluetooth-Daten löschen',
  },

  wakeReasons: 'Aufwachen, wenn',
  reasons: {
    move: 'sich das Gerät bewegt',
    bluetooth: 'ein Bluetooth-Tag verloren geht',
    geofence: 'das Gerät seine sichere Zone verlässt',
    drop: 'das Gerät herunterfällt',
  },

  bits: {
    behavior: [
      {
        bit: 1,
        label: 'Mobilfunk an, solange wach',
        hint: 'Das Gerät ist sofort erreichbar, verbraucht aber mehr Energie.',
      },
      {
        bit: 2,
        label: 'Mobilfunk an im Schlaf',
        hint: 'Das Gerät ist jederzeit erreichbar, der Akku ist aber schnell leer.',
      },
      { bit: 4, label: 'GPS an, solange wach', hint: 'Positionen ohne Warten auf Satelliten.' },
      { bit: 8, label: 'Keine WLAN-Hilfe', hint: 'Nutzt keine WLAN-Netze in der Nähe, um Positionen zu verbessern.' },
      { bit: 16, label: 'Einschlafen zweimal senden', hint: 'Falls die erste Übertragung verloren ging.' },
      { bit: 32, label: 'Bluetooth aus', hint: 'Erkennt keine Tags und Sensoren.' },
      { bit: 64, label: 'WLAN aus', hint: 'Kann sich in Gebäuden nicht über WLAN orten.' },
      { bit: 128, label: 'Kluges GPS', hint: 'Entscheidet nach der Bewegung, wann Satelliten gesucht werden.' },
    ],
    modeControl: [
      { bit: 1, label: 'Nur Start und Halt', hint: 'Sendet nur, wo eine Fahrt beginnt und endet.' },
      { bit: 2, label: 'Nach Alarm wach bleiben', hint: 'Bis jemand das Gerät wieder schlafen schickt.' },
      { bit: 4, label: 'Position bei Bluetooth-Verlust', hint: 'Sendet seine Position auch im Schlaf.' },
      { bit: 8, label: 'Keine regelmäßige Bluetooth-Suche', hint: 'Sucht nur nach Tags, wenn etwas passiert.' },
      {
        bit: 16,
        label: 'Gespeichertes beim Verbinden senden',
        hint: 'Speichert Positionen bis zur nächsten regulären Verbindung.',
      },
      { bit: 32, label: 'GPS aus', hint: 'Ortet sich nur über WLAN und Mobilfunk.' },
      { bit: 64, label: 'Taste als Ein-/Ausschalter', hint: 'Die Taste schaltet das Gerät, statt Alarm auszulösen.' },
      { bit: 128, label: 'Immer an', hint: 'Schläft nie. Für Geräte mit externer Stromversorgung.' },
    ],
    modeControl2: [
      { bit: 1, label: 'Halte sofort senden', hint: 'Wartet nicht auf die nächste Verbindung.' },
      { bit: 2, label: 'Haltezeit in Minuten', hint: '„Steht nach“ zählt Minuten statt Sekunden.' },
      { bit: 4, label: 'Strenge Energiegrenze', hint: 'Lässt Übertragungen aus, die sie überschreiten würden.' },
      { bit: 8, label: 'Nur 2G', hint: 'Nutzt keine schnelleren Netze.' },
      { bit: 16, label: 'Keine GPS-Optimierung', hint: 'Sendet rohe Positionen ohne Glättung.' },
      { bit: 32, label: 'Stöße erkennen', hint: 'Ein harter Stoß löst Alarm aus.' },
      { bit: 64, label: 'UWB-Bake', hint: 'Andere Geräte können ihren Abstand zu ihm messen.' },
      { bit: 128, label: 'UWB-Suche', hint: 'Misst seinen Abstand zu Baken.' },
    ],
  },
  bitGroups: { behavior: 'Funk', modeControl: 'Betriebsart', modeControl2: 'Betriebsart, erweitert' },

  timedLead: 'Zeiten sind in UTC.',
  noTimed: 'Keine geplanten Aktionen.',
  addTimed: 'Zeit hinzufügen',
  removeTimed: 'Diese Zeit entfernen',
  time: 'Zeit (UTC)',
  day: 'Tag',
  days: ['Sonntag', 'Montag', 'Dienstag', 'Mittwoch', 'Donnerstag', 'Freitag', 'Samstag', 'Jeden Tag'],
  action: 'Aktion',
  actions: ['Keine', 'Schlafen', 'Aufwachen', 'Senden'],
};
