import type { Texts } from '../../translation.ts';

export const deviceWays: Texts['deviceWays'] = {
  triggersLead: 'Auslöser benachrichtigen Sie, wenn mit diesem Gerät etwas passiert.',
  addTrigger: 'Auslöser hinzufügen',
  noTriggers: 'Keine Auslöser',
  noTriggersHint:
    'Lassen Sie sich benachrichtigen, wenn dieses Gerät einen Ort verlässt, zu schnell fährt, wenig Akku hat oder nichts mehr sendet.',
  lastFired: 'Zuletzt ausgelöst',
  neverFired: 'Nie ausgelöst',
  allNotifications: 'Meldungen ansehen',

  forwardingLead: 'Weiterleitungen senden die Daten dieses Geräts an Ihre eigenen Systeme, sobald sie ankommen.',
  addForwarder: 'Weiterleitung hinzufügen',
  noForwarders: 'Keine Weiterleitungen',
  noForwardersHint:
    'Senden Sie Positionen, Messwerte, Nachrichten und Meldungen an einen Webhook, eine Warteschlange oder ein MQTT-Topic.',
  kind: 'Kanal',
  types: 'Was gesendet wird',
  type: {
    newLoc: 'Positionen',
    newReading: 'Messwerte',
    newMsg: 'Nachrichten vom Gerät',
    notification: 'Meldungen',
  },
  raw: 'Einfaches JSON',
  rawHint: 'Die Daten ohne Umschlag senden, für Empfänger, die ihn nicht erwarten.',
  corrections: 'Korrekturen senden',
  correctionsHint: 'Auch senden, wenn spätere Daten eine Meldung zurückziehen.',
  create: 'Weiterleitung hinzufügen',
  createTitle: 'Weiterleitung hinzufügen',
  editTitle: 'Weiterleitung bearbeiten',

  switchOn: 'Einschalten',
  switchOff: 'Ausschalten',
  works: 'Funktioniert',
  unused: 'Noch nicht genutzt',
  failing: 'Scheitert',
  waits: 'Verzögert',
  isOff: 'Aus',
  waiting: 'Wartend',
  waitingCount: (count) => (count === '1' ? '1 Eintrag' : `${count} Einträge`),
  lag: 'Verzug',
  noLag: 'Keiner',
  lastSuccess: 'Zuletzt gesendet',
  never: 'Nie',
  removeTitle: 'Diese Weiterleitung entfernen?',
  removeText: 'Was noch nicht gesendet ist, wird verworfen.',
  removeAction: 'Entfernen',
  removed: 'Weiterleitung entfernt',
  secretTitle: 'Webhook-Geheimnis',
  secretText:
    'Anfragen werden mit diesem Geheimnis nach Standard Webhooks signiert. Hinterlegen Sie es beim Empfänger, damit er sie prüfen kann.',
  done: 'Fertig',
  viewOnly:
    'Sie können dieses Gerät ansehen. Um seine Daten weiterzuleiten, bitten Sie den Eigentümer um das Recht, es zu verwalten.',

  quarantineLead:
    'Daten dieses Geräts, die nicht stimmen können, mit dem Grund. Sie werden hier aufbewahrt und wirken sich nicht auf Positionen, Fahrten oder Auslöser aus.',
  quarantineEmpty: 'Nichts in Quarantäne',
  quarantineEmptyHint: 'Alle Daten, die dieses Gerät gesendet hat, sind plausibel.',
  part: {
    points: 'Position',
    readings: 'Messwert',
    gatewayReadings: 'Erkennung',
    messages: 'Nachricht',
    unreadable: 'Unlesbar',
  },
  report: 'Gesendete Daten',
};
