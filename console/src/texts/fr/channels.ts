import type { Texts } from '../translation.ts';

export const channels: Texts['channels'] = {
  push: {
    icon: 'bell',
    name: 'Push du navigateur',
    hint: 'Envoyé à chaque navigateur où vous l’avez activé.',
    clause: () => 'm’envoyer une notification du navigateur',
  },
  email: {
    icon: 'mail',
    name: 'E-mail',
    field: {
      label: 'À',
      hint: 'Vide : l’adresse de votre compte. Une autre adresse est d’abord consultée par e-mail.',
      type: 'email',
    },
    clause: (address) => (address ? `envoyer un e-mail à ${address}` : 'm’envoyer un e-mail'),
  },
  http: {
    icon: 'link',
    name: 'Webhook',
    field: {
      label: 'URL du webhook',
      hint: 'Par exemple https://example.org/trackway. Les requêtes sont signées.',
      type: 'url',
    },
    clause: (address) =>
      URL.canParse(address) ? `appeler le webhook sur ${new URL(address).host}` : 'appeler un webhook',
    forwarder: {
      name: 'Webhook',
      hint: 'Envoie chaque élément à une URL, avec une signature.',
      target: 'URL',
      targetHint: 'https://example.org/trackway',
    },
  },
  sqs: {
    icon: 'list',
    name: 'File SQS',
    field: { label: 'ARN de la file', hint: 'arn:aws:sqs:region:account:name', type: 'text' },
    clause: (address) =>
      address ? `l’envoyer à la file SQS ${address.split(':').at(-1)}` : 'l’envoyer à une file SQS',
    forwarder: {
      name: 'File SQS',
      hint: 'Amazon SQS ou une file compatible.',
      target: 'ARN de la file',
      targetHint: 'arn:aws:sqs:region:account:name',
    },
  },
  mqtt: {
    icon: 'signal',
    name: 'MQTT',
    hint: 'Publié sur le courtier de ce serveur sous users/…/devices/…/notifications.',
    clause: () => 'le publier par MQTT',
    forwarder: {
      name: 'Topic MQTT',
      hint: 'Publie sur le courtier MQTT auquel ce serveur est connecté.',
      target: 'Topic',
      targetHint: 'Doit commencer par users/ et votre identifiant. Vide : le topic habituel.',
    },
  },
  telegram: {
    icon: 'message',
    name: 'Telegram',
    field: {
      label: 'Discussion',
      hint: 'L’identifiant d’une discussion avec le bot de ce serveur, ou @nomducanal.',
      type: 'text',
    },
    clause: (address) => (address ? `l’envoyer à ${address} sur Telegram` : 'l’envoyer à une discussion Telegram'),
  },
};
