import type { Texts } from '../../translation.ts';

export const deviceTimeline: Texts['deviceTimeline'] = {
  earlier: 'Frühere Tage',
  later: 'Spätere Tage',
  span: (from, to) => `${from} – ${to}`,
  show: 'Was gezeigt wird',
  all: 'Alles',
  groups: { drives: 'Fahrten', alarms: 'Meldungen', messages: 'Nachrichten', device: 'Gerät' },
  list: (day) => `Was geschah: ${day}`,
  empty: 'In diesen Tagen ist nichts passiert',
  emptyHint: 'Wählen Sie frühere Tage oder im Kalender einen Tag mit Punkt.',
  emptyOfGroup: 'Nichts davon in diesen Tagen',
  showAll: (count) => `Alle ${count} zeigen`,
  trip: (distance) => `Fahrt, ${distance}`,
  stop: (length) => `Halt, ${length}`,
  fromTo: (from, to) => `${from} – ${to}`,
  ignitionOn: 'Zündung eingeschaltet',
  ignitionOff: 'Zündung ausgeschaltet',
  retracted: 'Zurückgezogen',
};
