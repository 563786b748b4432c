import type { Texts } from '../translation.ts';

export const phoneAddress: Texts['phoneAddress'] = {
  label: 'Adresse dieses Servers für das Telefon',
  hint: 'Das Telefon muss sie öffnen können: zu Hause muss es im selben Netz sein.',
  other: 'Andere Adresse …',
  otherLabel: 'Adresse, die das Telefon erreicht',
  otherPlaceholder: 'https://tracking.example.com',
  invalid:
    'Geben Sie eine Adresse wie https://tracking.example.com ein. Die eigene Adresse dieses Rechners, etwa 127.0.0.1, funktioniert auf keinem Telefon.',
  localOnly:
    'Ein Telefon erreicht diesen Server noch nicht: Er nimmt nur Verbindungen von diesem Rechner an. Starten Sie ihn für Ihr Netz mit TRACKWAY_HOST=0.0.0.0. Für überall setzen Sie einen TLS-Proxy davor und TRACKWAY_PUBLIC_URL.',
  unknown:
    'Dieser Server kennt keine Adresse, die ein Telefon erreicht. Setzen Sie TRACKWAY_PUBLIC_URL, oder geben Sie die Adresse dieses Rechners in Ihrem Netz ein.',
  first:
    'Ein Telefon erreicht diesen Server noch nicht: Er nimmt nur Verbindungen von diesem Rechner an. Um eines zu verbinden, starten Sie ihn zuerst mit TRACKWAY_HOST=0.0.0.0, oder setzen Sie TRACKWAY_PUBLIC_URL hinter einem TLS-Proxy. Ein simuliertes Gerät geht auch so.',
  keeps:
    'Der Schlüssel bleibt hier, solange diese Seite offen ist: Starten Sie den Server neu, und prüfen Sie dann noch einmal.',
  check: 'Noch einmal prüfen',
};
