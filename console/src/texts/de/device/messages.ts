import type { Texts } from '../../translation.ts';

export const deviceMessages: Texts['deviceMessages'] = {
  label: 'Nachrichten, älteste zuerst',
  empty: 'Noch keine Nachrichten',
  emptyHint:
    'Eine Nachricht von Ihnen wird bei der nächsten Verbindung des Geräts zugestellt. Auch Nachrichten vom Gerät erscheinen hier.',
  earlier: 'Frühere Nachrichten',
  waiting: 'Wartet auf das Gerät',
  waitingUntil: (time) => `Wartet auf das Gerät bis ${time}`,
  written: 'Gesendet, noch nicht bestätigt',
  failed: (reason) => `Fehlgeschlagen: ${reason}`,
  unsupported: 'das Gerät hat keinen Befehl dafür',
  noReason: 'kein Grund genannt',
  expired: 'Abgelaufen: das Gerät wurde nicht rechtzeitig erreicht',
  taken: (time) => `Zugestellt ${time}`,
  fromDevice: 'Vom Gerät',
  you: 'Sie',
  someone: (id) => `Benutzer ${id}`,
  bytes: 'Binär',
  write: 'Nachricht an das Gerät',
  placeholder: 'Nachricht schreiben …',
  asBytes: 'Binärdaten senden (Base64)',
  asText: 'Text senden',
  send: 'Senden',
  withdraw: 'Abbrechen',
  withdrawn: 'Nachricht abgebrochen. Das Gerät erhält sie nicht.',
  badBase64: 'Das ist kein gültiges Base64.',
  viewOnly:
    'Sie können diese Nachrichten lesen. Um zu senden, bitten Sie den Eigentümer um das Recht, das Gerät zu verwalten.',
};
