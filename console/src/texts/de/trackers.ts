import { number } from '../counting.ts';
import type { Texts } from '../translation.ts';

const times = (count: number) => (count === 1 ? 'einmal' : `${number(count)}-mal`);

export const trackers: Texts['trackers'] = {
  protocol: (name) => (/\d/.test(name) ? name.toUpperCase() : name.charAt(0).toUpperCase() + name.slice(1)),

  knocks: {
    title: 'Geräte, die anklopfen',
    lead: 'Tracker, die sich mit diesem Server verbunden haben, aber noch nicht bekannt sind. Fügen Sie einen hinzu, wird gespeichert, was er als Nächstes sendet.',
    empty: 'Noch hat kein Tracker angeklopft.',
    emptyHint: 'Stellen Sie einen Tracker auf diese Adresse ein. Er erscheint hier, sobald er sich verbindet.',
    setUp: 'Stellen Sie Tracker auf diese Adresse ein:',
    host: 'Host',
    port: 'Port',
    portHint: 'Für alle Protokolle, über TCP und UDP.',
    noPort: 'Dieser Server nimmt keine Tracker an: Der Port war belegt, oder TRACKWAY_TRACKERS_PORT schaltet ihn ab.',
    local:
      'Von außen können Tracker diese Adresse nicht erreichen. Geben Sie im Tracker die öffentliche Adresse dieses Servers an.',
    docs: 'So verbinden sich Tracker',
    last: 'Zuletzt gesehen',
    first: 'zuerst',
    count: times,
    from: (address) => `von ${address}`,
    add: 'Hinzufügen …',
    addOne: (identity) => `${identity} hinzufügen …`,
    addTitle: 'Diesen Tracker hinzufügen?',
    addText: (identity) => `${identity} wird Ihr Gerät und darf allein mit dieser Kennung senden, ohne Schlüssel.`,
    name: 'Gerätename',
    nameHint: 'Sie können ihn später ändern.',
    addAction: 'Gerät hinzufügen',
    added: (name) => `${name} wurde hinzugefügt. Was es als Nächstes sendet, wird gespeichert.`,
    view: 'Gerät ansehen',
    dismiss: 'Ausblenden',
    dismissOne: (identity) => `${identity} ausblenden`,
    dismissed: (identity) => `${identity} wurde ausgeblendet und erscheint wieder, wenn es sich erneut verbindet.`,
  },

  undecoded: {
    title: 'Nicht verstanden',
    lead: 'Was Tracker gesendet haben und nicht gelesen werden konnte. Nichts davon wurde gespeichert.',
    label: 'Daten von Trackern, die nicht gelesen werden konnten',
    count: times,
    last: 'zuletzt',
    from: (address) => `von ${address}`,
    sample: 'Letzte Probe, hexadezimal',
    unknown: 'Unbekanntes Protokoll',
  },
};
