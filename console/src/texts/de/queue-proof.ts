import type { Texts } from '../translation.ts';

export const queueProof: Texts['queueProof'] = {
  action: 'Warteschlange nachweisen',
  missing: 'Es wird nichts gesendet, bis Sie nachweisen, dass diese Warteschlange Ihnen gehört.',
  held: 'Ein anderes Konto nutzt diese Warteschlange. Gehört sie Ihnen, weisen Sie es nach und versuchen Sie es noch einmal.',
  badge: 'Nachweis fehlt',
  title: 'Warteschlange nachweisen',
  sendText:
    'Wir senden eine Nachricht mit einem Code an diese Warteschlange. Lesen Sie den Code dort und geben Sie ihn hier ein.',
  send: 'Code senden',
  sent: 'Der Code ist in der Warteschlange. Er gilt eine Stunde.',
  code: 'Code',
  codeHint: 'Der Wert von „code“ in der Nachricht.',
  confirm: 'Bestätigen',
  again: 'Erneut senden',
  proven: 'Die Warteschlange gehört Ihnen. Ab jetzt wird gesendet.',
  wrongCode:
    'Dieser Code ist falsch oder zu alt. Geben Sie den neuesten Code aus der Warteschlange ein, oder senden Sie einen neuen.',
  notSent: (reason) => `Der Code konnte nicht gesendet werden. ${reason}`,
};
