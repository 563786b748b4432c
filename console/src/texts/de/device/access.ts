import type { Texts } from '../../translation.ts';

export const deviceAccess: Texts['deviceAccess'] = {
  sharing: 'Freigabe',
  share: 'Freigeben',
  shareTitle: 'Dieses Gerät freigeben',
  email: 'E-Mail-Adresse',
  emailHint:
    'Die Person erhält Zugriff, sobald sie ein Konto mit dieser Adresse hat. Ist E-Mail eingerichtet, erfährt sie davon.',
  rights: 'Recht',
  right: { view: 'Ansehen', manage: 'Verwalten' },
  rightHint: {
    view: 'Sieht Position, Verlauf, Messwerte, Nachrichten und Konfiguration.',
    manage:
      'Kann außerdem die Konfiguration ändern, Nachrichten senden und eigene Auslöser und Weiterleitungen anlegen.',
  },
  shared: (email) => `Für ${email} freigegeben`,
  nobody: 'Nicht freigegeben',
  nobodyHint: 'Geben Sie dieses Gerät frei, damit andere es ansehen oder mit Ihnen verwalten können.',
  since: 'Seit',
  end: (email) => `Freigabe für ${email} beenden`,
  endTitle: (email) => `Freigabe für ${email} beenden?`,
  endText:
    'Die Person verliert sofort den Zugriff, und ihre Auslöser und Weiterleitungen für dieses Gerät werden entfernt.',
  endAction: 'Freigabe beenden',
  ended: (email) => `Nicht mehr für ${email} freigegeben`,
  changed: (email, right) => `${email} kann dieses Gerät jetzt ${right.toLowerCase()}`,
  sharedWithYou: (right) =>
    `Dieses Gerät ist für Sie freigegeben. Sie können es ${right.toLowerCase()}; Freigaben und Schlüssel verwaltet nur der Eigentümer.`,

  key: 'Geräteschlüssel',
  keyLead:
    'Mit diesem Schlüssel weist sich das Gerät beim Senden aus. Ein Schlüssel wird nur einmal gezeigt, wenn er erzeugt wird. Haben Sie ihn nicht mehr, ersetzen Sie ihn.',
  hasKey: 'Aktiv',
  hasNoKey: 'Kein Schlüssel',
  noKeyText: 'Das Gerät kann nicht senden, bis Sie einen Schlüssel erzeugen.',
  keylessText: 'Dieses Gerät kann auch ohne Schlüssel senden, mit Seriennummer oder IMEI.',
  make: 'Schlüssel erzeugen',
  rotate: 'Schlüssel ersetzen',
  rotateTitle: 'Geräteschlüssel ersetzen?',
  rotateText: 'Der bisherige Schlüssel gilt sofort nicht mehr. Das Gerät kann wieder senden, sobald es den neuen hat.',
  rotateAction: 'Neuen Schlüssel erzeugen',
  revoke: 'Widerrufen',
  revokeTitle: 'Geräteschlüssel widerrufen?',
  revokeText: 'Das Gerät kann nicht senden, bis Sie einen neuen Schlüssel erzeugen. Bisherige Daten bleiben erhalten.',
  revokeAction: 'Schlüssel widerrufen',
  revoked: 'Schlüssel widerrufen',
  newKeyTitle: 'Neuer Geräteschlüssel',
  newKeyText: 'Kopieren Sie diesen Schlüssel jetzt. Er wird nicht noch einmal gezeigt.',
  done: 'Fertig',

  secret: 'OwnTracks-Verschlüsselung',
  secretLead:
    'Nur nötig, wenn die App OwnTracks verschlüsselt sendet. Geben Sie den Schlüssel aus den Einstellungen der App ein. Was sich nicht entschlüsseln lässt, kommt in Quarantäne.',
  secretIsSet: 'Gesetzt',
  secretNow: 'Verschlüsselungsschlüssel',
  secretField: 'Schlüssel in der App',
  secretChange: 'Neuer Schlüssel',
  secretHint: 'Höchstens 32 Zeichen. Der QR-Code zum Verbinden des Telefons enthält ihn.',
  secretSave: 'Speichern',
  secretRemove: 'Entfernen',
  secretSaved: 'Schlüssel gespeichert. Geben Sie denselben in der App ein.',
  secretRemoved: 'Schlüssel entfernt. Schalten Sie die Verschlüsselung auch in der App aus.',
};
