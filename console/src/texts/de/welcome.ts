import type { Texts } from '../t.ts';

export const welcome: Texts['welcome'] = {
  title: 'Gerät hinzufügen',
  greeting: 'Willkommen bei Trackway',
  greetingHint:
    'Sie haben noch keine Geräte. Fügen Sie Ihr Telefon, einen Tracker oder ein Gerät hinzu, das diese Seite simuliert. Das dauert etwa eine Minute.',
  start: 'Erstes Gerät hinzufügen',
  nameLead: 'Alles, was seine Position senden kann: ein Telefon, ein Tracker oder ein Programm.',
  name: 'Gerätename',
  nameHint: 'Sie können ihn später ändern.',
  namePlaceholder: 'Mein Telefon',
  add: 'Gerät hinzufügen',
  claim: {
    title: 'Gerät über seine Seriennummer übernehmen',
    lead: 'Für ein Gerät, das jemand anderes eingerichtet hat und seinem neuen Eigentümer anbietet.',
    serial: 'Seriennummer',
    serialHint: 'Sie steht auf dem Gerät oder seiner Verpackung.',
    ask: 'Gerät übernehmen …',
    questionTitle: (serial) => `${serial} übernehmen?`,
    question:
      'Das Gerät gehört dann Ihnen. Der bisherige Eigentümer verliert den Zugriff, und Freigaben, Auslöser und Weiterleitungen enden. Was es bisher aufgezeichnet hat, wird gelöscht, sofern der Anbieter den Verlauf nicht mitgibt. Das lässt sich nicht rückgängig machen.',
    action: 'Gerät übernehmen',
    refused:
      'Kein Gerät mit dieser Seriennummer kann übernommen werden. Prüfen Sie die Nummer. Wenn sie stimmt, bitten Sie den bisherigen Eigentümer, das Gerät zur Übernahme anzubieten.',
    tooOften: (wait) => `Zu viele Fehlversuche. Versuchen Sie es in ${wait} wieder.`,
    done: (name) => `${name} gehört jetzt Ihnen`,
  },
  connectTitle: (name) => `${name} verbinden`,
  keyTitle: 'Geräteschlüssel',
  keyHint: 'Mit diesem Schlüssel sendet das Gerät. Er wird nur jetzt gezeigt, Sie können ihn aber jederzeit ersetzen.',
  key: 'Geräteschlüssel',
  lostKey:
    'Der Schlüssel dieses Geräts wurde nur einmal gezeigt. Erzeugen Sie einen neuen, um fortzufahren. Der bisherige gilt dann sofort nicht mehr.',
  newKey: 'Neuen Schlüssel erzeugen',
  ways: 'So verbinden Sie es',
  phone: 'OwnTracks',
  traccar: 'Traccar',
  curl: 'curl',
  simulate: 'Simulieren',
  owntracks: [
    'Installieren Sie OwnTracks auf Ihrem Telefon (Android oder iOS).',
    'Scannen Sie diesen Code mit der Kamera des Telefons und öffnen Sie den Link mit OwnTracks. Er richtet die App für Sie ein.',
    'Oder richten Sie sie von Hand ein: Wählen Sie unter Einstellungen → Verbindung den Modus HTTP und geben Sie diese URL ein:',
  ],
  traccarSteps: [
    'Installieren Sie Traccar Client auf Ihrem Telefon (Android oder iOS).',
    'Geben Sie diese Adresse als Server-URL ein. Mit dem Code übertragen Sie sie auf das Telefon.',
    'Starten Sie den Dienst in der App.',
  ],
  code: 'QR-Code mit den Einstellungen für das Telefon',
  address: 'Server-URL',
  curlLead: 'Sendet eine Position, wie es ein Programm täte. Ersetzen Sie die Koordinaten durch Ihre eigenen.',
  command: 'Befehl',
  simulateLead:
    'Sehen Sie Trackway in Aktion: Diese Seite simuliert eine Fahrt von zwei Minuten. Lassen Sie sie so lange offen.',
  simulateStart: 'Simulation starten',
  simulateStop: 'Simulation beenden',
  simulating: (left) => `noch ${left}`,
  simulationFailed: 'Der Server hat die simulierten Positionen abgelehnt. Versuchen Sie es noch einmal.',
  local:
    'Dieser Server nimmt nur Verbindungen von diesem Rechner an, ein Telefon erreicht ihn also nicht. Starten Sie ihn mit TRACKWAY_HOST=0.0.0.0, am besten hinter einem TLS-Proxy, und setzen Sie TRACKWAY_PUBLIC_URL auf seine öffentliche Adresse.',
  waiting: 'Warten auf die erste Position …',
  arrived: 'Erste Position empfangen.',
  toMap: 'Zur Karte',
  another: 'Weiteres hinzufügen',
  map: 'Karte mit der Position des Geräts',
};
