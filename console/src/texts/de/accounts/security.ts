import { countedIn } from '../../counting.ts';
import type { Texts } from '../../translation.ts';

const many = countedIn('de');

export const security: Texts['security'] = {
  title: 'Sichere Anmeldung',
  lead: 'Verlangen Sie bei der Anmeldung mehr als Ihr Passwort.',
  on: 'An',
  off: 'Aus',

  app: 'Authentifizierungs-App',
  appHint: 'Ein sechsstelliger Code aus einer App auf Ihrem Telefon.',
  setUpApp: 'Einrichten',
  removeApp: 'Entfernen',
  appTitle: 'Authentifizierungs-App einrichten',
  appScan: 'Scannen Sie diesen Code mit einer Authentifizierungs-App wie Aegis, 2FAS oder Google Authenticator.',
  appQr: 'QR-Code für die Authentifizierungs-App',
  appSecret: 'Oder geben Sie diesen Schlüssel in der App ein',
  appCode: 'Code aus der App',
  appCodeHint: 'Sechs Ziffern. Alle 30 Sekunden erscheint ein neuer.',
  confirm: 'Einschalten',
  appOn: 'Authentifizierungs-App eingeschaltet.',
  removeTitle: 'Authentifizierungs-App entfernen?',
  removeText: 'Ohne zweiten Faktor genügt Ihr Passwort zur Anmeldung.',
  removed: 'Authentifizierungs-App entfernt.',

  passkeys: 'Passkeys',
  passkeysHint: 'Melden Sie sich mit Fingerabdruck, Gesicht oder Sicherheitsschlüssel an, ohne Passwort.',
  addPasskey: 'Passkey hinzufügen',
  passkeyTitle: 'Passkey hinzufügen',
  passkeyText: 'Ihr Browser bittet Sie, dieses Gerät zu entsperren oder einen Sicherheitsschlüssel zu benutzen.',
  passkeyName: 'Name',
  passkeyNameHint: 'Damit Sie ihn später erkennen.',
  usualName: 'Dieses Gerät',
  create: 'Weiter',
  passkeyAdded: 'Passkey hinzugefügt.',
  passkeyCancelled: 'Kein Passkey angelegt: Die Anfrage wurde abgebrochen oder hat zu lange gedauert.',
  passkeyKnown: 'Dieses Gerät hat schon einen Passkey für Ihr Konto.',
  neverUsed: 'Noch nicht benutzt',
  lastUsed: 'Zuletzt benutzt',
  rename: 'Umbenennen',
  renameOf: (name) => `${name} umbenennen`,
  renameTitle: 'Passkey umbenennen',
  deleteOf: (name) => `${name} löschen`,
  deleteTitle: (name) => `Passkey „${name}“ löschen?`,
  deleteText:
    'Sie können sich damit nicht mehr anmelden. Entfernen Sie ihn auch von Ihrem Gerät oder aus dem Passwortmanager.',
  delete: 'Löschen',
  noPasskeysHere: (address) => `Passkeys funktionieren nur unter ${address}.`,
  noPasskeysAtAll:
    'Passkeys brauchen eine https://-Adresse mit einem Domainnamen. Der Betreiber dieses Servers kann sie einrichten.',

  recovery: 'Wiederherstellungscodes',
  recoveryLeft: (count) => (count === 0 ? 'Keine übrig' : `${many(count, 'Code', 'Codes')} übrig`),
  newCodes: 'Neue Codes',
  newCodesTitle: 'Neue Wiederherstellungscodes erzeugen?',
  newCodesText: 'Ihre bisherigen Codes gelten dann nicht mehr.',
  codesTitle: 'Wiederherstellungscodes sichern',
  codesText:
    'Verlieren Sie Telefon oder Passkey, meldet jeder dieser Codes Sie einmal an. Sie werden nicht noch einmal gezeigt. Bewahren Sie sie dort auf, wo nur Sie sie finden.',
  copy: 'Kopieren',
  copied: 'Kopiert',
  download: 'Herunterladen',
  fileName: 'trackway-wiederherstellungscodes.txt',
  saved: 'Ich habe diese Codes gesichert',
  done: 'Fertig',

  password: 'Passwort',
  passwordOrCode: 'Ihr Passwort oder ein Code aus der App',
  proofHint: 'Zur Bestätigung, dass Sie es sind.',
  confirmTitle: 'Bestätigen Sie, dass Sie es sind',
  confirmIt: 'Bestätigen',
  freshness: 'Ihre Anmeldung liegt eine Weile zurück. Geben Sie Ihr Passwort ein, um fortzufahren.',
  noPassword:
    'Ihre Anmeldung liegt eine Weile zurück. Melden Sie sich ab und wieder an und machen Sie innerhalb von 15 Minuten weiter.',

  demandedTitle: 'Zweiten Faktor einrichten',
  demandedLead: 'Admins dieses Servers melden sich mit einem zweiten Faktor an. Wählen Sie einen, um fortzufahren.',
  signOut: 'Abmelden',
};
