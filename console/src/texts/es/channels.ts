import type { Texts } from '../translation.ts';

export const channels: Texts['channels'] = {
  push: {
    icon: 'bell',
    name: 'Push del navegador',
    hint: 'A cada navegador en el que lo haya activado.',
    clause: () => 'enviarme un aviso al navegador',
  },
  email: {
    icon: 'mail',
    name: 'Correo electrónico',
    field: {
      label: 'Para',
      hint: 'Vacío: la dirección de su cuenta. A otra dirección se le pide antes permiso por correo.',
      type: 'email',
    },
    clause: (address) => (address ? `enviar un correo a ${address}` : 'enviarme un correo'),
  },
  http: {
    icon: 'link',
    name: 'Webhook',
    field: {
      label: 'URL del webhook',
      hint: 'Por ejemplo https://example.org/trackway. Las peticiones van firmadas.',
      type: 'url',
    },
    clause: (address) =>
      URL.canParse(address) ? `llamar al webhook de ${new URL(address).host}` : 'llamar a un webhook',
    forwarder: {
      name: 'Webhook',
      hint: 'Envía cada elemento a una URL, con firma.',
      target: 'URL',
      targetHint: 'https://example.org/trackway',
    },
  },
  sqs: {
    icon: 'list',
    name: 'Cola SQS',
    field: { label: 'ARN de la cola', hint: 'arn:aws:sqs:region:account:name', type: 'text' },
    clause: (address) => (address ? `enviarlo a la cola SQS ${address.split(':').at(-1)}` : 'enviarlo a una cola SQS'),
    forwarder: {
      name: 'Cola SQS',
      hint: 'Amazon SQS o una cola compatible.',
      target: 'ARN de la cola',
      targetHint: 'arn:aws:sqs:region:account:name',
    },
  },
  mqtt: {
    icon: 'signal',
    name: 'MQTT',
    hint: 'Se publica en el bróker de este servidor en users/…/devices/…/notifications.',
    clause: () => 'publicarlo por MQTT',
    forwarder: {
      name: 'Tema MQTT',
      hint: 'Publica en el bróker MQTT al que está conectado este servidor.',
      target: 'Tema',
      targetHint: 'Debe empezar por users/ y su ID de usuario. Vacío: el tema habitual.',
    },
  },
  telegram: {
    icon: 'message',
    name: 'Telegram',
    field: { label: 'Chat', hint: 'El ID de un chat con el bot de este servidor, o @nombredelcanal.', type: 'text' },
    clause: (address) => (address ? `enviarlo a ${address} por Telegram` : 'enviarlo a un chat de Telegram'),
  },
};
