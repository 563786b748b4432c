import type { Texts } from '../translation.ts';

export const queueProof: Texts['queueProof'] = {
  action: 'Prouver cette file',
  missing: 'Rien n’est envoyé tant que vous n’avez pas prouvé que cette file est à vous.',
  held: 'Un autre compte utilise cette file. Si elle est à vous, prouvez-le et réessayez.',
  badge: 'Preuve requise',
  title: 'Prouver cette file',
  sendText: 'Nous envoyons un message avec un code à cette file. Lisez le code dans la file et saisissez-le ici.',
  send: 'Envoyer le code',
  sent: 'Le code est dans la file. Il est valable une heure.',
  code: 'Code',
  codeHint: 'La valeur de « code » dans le message.',
  confirm: 'Confirmer',
  again: 'Renvoyer',
  proven: 'La file est à vous. Les données sont désormais envoyées.',
  wrongCode: 'Ce code est faux ou trop ancien. Saisissez le dernier code de la file, ou envoyez-en un nouveau.',
  notSent: (reason) => `Le code n’a pas pu être envoyé. ${reason}`,
};
